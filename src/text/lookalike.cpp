#include "text/lookalike.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/printable.hpp"

namespace dynamo::text {
namespace {

struct Lookalike {
  char32_t code;
  char ascii;
  std::string_view name;
};

// Characters that other keyboards, word processors and chats write instead of ASCII; sorted. Only
// letters that look the same in every font.
constexpr auto kLookalikes = std::to_array<Lookalike>({
    {0x00AB, '"', "LEFT-POINTING DOUBLE ANGLE QUOTATION MARK"},
    {0x00B4, '\'', "ACUTE ACCENT"},
    {0x00BB, '"', "RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK"},
    {0x0131, 'i', "LATIN SMALL LETTER DOTLESS I"},
    {0x0251, 'a', "LATIN SMALL LETTER ALPHA"},
    {0x0261, 'g', "LATIN SMALL LETTER SCRIPT G"},
    {0x02B9, '\'', "MODIFIER LETTER PRIME"},
    {0x02BC, '\'', "MODIFIER LETTER APOSTROPHE"},
    {0x02D7, '-', "MODIFIER LETTER MINUS SIGN"},
    {0x02DC, '~', "SMALL TILDE"},
    {0x037E, ';', "GREEK QUESTION MARK"},
    {0x0391, 'A', "GREEK CAPITAL LETTER ALPHA"},
    {0x0392, 'B', "GREEK CAPITAL LETTER BETA"},
    {0x0395, 'E', "GREEK CAPITAL LETTER EPSILON"},
    {0x0396, 'Z', "GREEK CAPITAL LETTER ZETA"},
    {0x0397, 'H', "GREEK CAPITAL LETTER ETA"},
    {0x0399, 'I', "GREEK CAPITAL LETTER IOTA"},
    {0x039A, 'K', "GREEK CAPITAL LETTER KAPPA"},
    {0x039C, 'M', "GREEK CAPITAL LETTER MU"},
    {0x039D, 'N', "GREEK CAPITAL LETTER NU"},
    {0x039F, 'O', "GREEK CAPITAL LETTER OMICRON"},
    {0x03A1, 'P', "GREEK CAPITAL LETTER RHO"},
    {0x03A4, 'T', "GREEK CAPITAL LETTER TAU"},
    {0x03A5, 'Y', "GREEK CAPITAL LETTER UPSILON"},
    {0x03A7, 'X', "GREEK CAPITAL LETTER CHI"},
    {0x03B1, 'a', "GREEK SMALL LETTER ALPHA"},
    {0x03B9, 'i', "GREEK SMALL LETTER IOTA"},
    {0x03BA, 'k', "GREEK SMALL LETTER KAPPA"},
    {0x03BD, 'v', "GREEK SMALL LETTER NU"},
    {0x03BF, 'o', "GREEK SMALL LETTER OMICRON"},
    {0x03C1, 'p', "GREEK SMALL LETTER RHO"},
    {0x03C5, 'u', "GREEK SMALL LETTER UPSILON"},
    {0x0405, 'S', "CYRILLIC CAPITAL LETTER DZE"},
    {0x0406, 'I', "CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I"},
    {0x0408, 'J', "CYRILLIC CAPITAL LETTER JE"},
    {0x0410, 'A', "CYRILLIC CAPITAL LETTER A"},
    {0x0412, 'B', "CYRILLIC CAPITAL LETTER VE"},
    {0x0415, 'E', "CYRILLIC CAPITAL LETTER IE"},
    {0x041A, 'K', "CYRILLIC CAPITAL LETTER KA"},
    {0x041C, 'M', "CYRILLIC CAPITAL LETTER EM"},
    {0x041D, 'H', "CYRILLIC CAPITAL LETTER EN"},
    {0x041E, 'O', "CYRILLIC CAPITAL LETTER O"},
    {0x0420, 'P', "CYRILLIC CAPITAL LETTER ER"},
    {0x0421, 'C', "CYRILLIC CAPITAL LETTER ES"},
    {0x0422, 'T', "CYRILLIC CAPITAL LETTER TE"},
    {0x0423, 'Y', "CYRILLIC CAPITAL LETTER U"},
    {0x0425, 'X', "CYRILLIC CAPITAL LETTER HA"},
    {0x0430, 'a', "CYRILLIC SMALL LETTER A"},
    {0x0435, 'e', "CYRILLIC SMALL LETTER IE"},
    {0x043A, 'k', "CYRILLIC SMALL LETTER KA"},
    {0x043E, 'o', "CYRILLIC SMALL LETTER O"},
    {0x0440, 'p', "CYRILLIC SMALL LETTER ER"},
    {0x0441, 'c', "CYRILLIC SMALL LETTER ES"},
    {0x0443, 'y', "CYRILLIC SMALL LETTER U"},
    {0x0445, 'x', "CYRILLIC SMALL LETTER HA"},
    {0x0455, 's', "CYRILLIC SMALL LETTER DZE"},
    {0x0456, 'i', "CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I"},
    {0x0458, 'j', "CYRILLIC SMALL LETTER JE"},
    {0x04BB, 'h', "CYRILLIC SMALL LETTER SHHA"},
    {0x04CF, 'l', "CYRILLIC SMALL LETTER PALOCHKA"},
    {0x0501, 'd', "CYRILLIC SMALL LETTER KOMI DE"},
    {0x051B, 'q', "CYRILLIC SMALL LETTER QA"},
    {0x051D, 'w', "CYRILLIC SMALL LETTER WE"},
    {0x058A, '-', "ARMENIAN HYPHEN"},
    {0x2010, '-', "HYPHEN"},
    {0x2011, '-', "NON-BREAKING HYPHEN"},
    {0x2012, '-', "FIGURE DASH"},
    {0x2013, '-', "EN DASH"},
    {0x2014, '-', "EM DASH"},
    {0x2015, '-', "HORIZONTAL BAR"},
    {0x2018, '\'', "LEFT SINGLE QUOTATION MARK"},
    {0x2019, '\'', "RIGHT SINGLE QUOTATION MARK"},
    {0x201A, '\'', "SINGLE LOW-9 QUOTATION MARK"},
    {0x201B, '\'', "SINGLE HIGH-REVERSED-9 QUOTATION MARK"},
    {0x201C, '"', "LEFT DOUBLE QUOTATION MARK"},
    {0x201D, '"', "RIGHT DOUBLE QUOTATION MARK"},
    {0x201E, '"', "DOUBLE LOW-9 QUOTATION MARK"},
    {0x201F, '"', "DOUBLE HIGH-REVERSED-9 QUOTATION MARK"},
    {0x2024, '.', "ONE DOT LEADER"},
    {0x2032, '\'', "PRIME"},
    {0x2033, '"', "DOUBLE PRIME"},
    {0x2035, '`', "REVERSED PRIME"},
    {0x2043, '-', "HYPHEN BULLET"},
    {0x2044, '/', "FRACTION SLASH"},
    {0x207B, '-', "SUPERSCRIPT MINUS"},
    {0x208B, '-', "SUBSCRIPT MINUS"},
    {0x2212, '-', "MINUS SIGN"},
    {0x2215, '/', "DIVISION SLASH"},
    {0x2217, '*', "ASTERISK OPERATOR"},
    {0x2223, '|', "DIVIDES"},
    {0x2236, ':', "RATIO"},
    {0x223C, '~', "TILDE OPERATOR"},
    {0x2500, '-', "BOX DRAWINGS LIGHT HORIZONTAL"},
    {0x2501, '-', "BOX DRAWINGS HEAVY HORIZONTAL"},
    {0x2796, '-', "HEAVY MINUS SIGN"},
    {0x2E3A, '-', "TWO-EM DASH"},
    {0x2E3B, '-', "THREE-EM DASH"},
    {0xA789, ':', "MODIFIER LETTER COLON"},
    {0xFE58, '-', "SMALL EM DASH"},
    {0xFE63, '-', "SMALL HYPHEN-MINUS"},
});

constexpr char32_t kFirstFullwidth = 0xFF01;  // '!'
constexpr char32_t kLastFullwidth = 0xFF5E;   // '~'
constexpr char32_t kFullwidthOffset = 0xFEE0;

constexpr bool is_fullwidth(char32_t code) {
  return code >= kFirstFullwidth && code <= kLastFullwidth;
}

// One flag per block of 32 codes up to the last in kLookalikes: whether it has a lookalike. Texts
// of most scripts need no search.
constexpr unsigned kBlockBits = 5;
constexpr auto kLookalikeBlocks = [] {
  std::array<bool, (kLookalikes.back().code >> kBlockBits) + 1> blocks{};
  for (const Lookalike& lookalike : kLookalikes) blocks[lookalike.code >> kBlockBits] = true;
  return blocks;
}();

const Lookalike* find_lookalike(char32_t code) {
  const char32_t block = code >> kBlockBits;
  if (block >= kLookalikeBlocks.size() || !kLookalikeBlocks[block]) return nullptr;
  const auto* const found = std::ranges::lower_bound(kLookalikes, code, {}, &Lookalike::code);
  return found != kLookalikes.end() && found->code == code ? found : nullptr;
}

constexpr bool is_ascii(char32_t code) {
  return code < 0x80;
}
constexpr bool is_letter(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}
constexpr bool is_digit(char32_t code) {
  return code >= '0' && code <= '9';
}
constexpr bool is_blank(char32_t code) {
  return code == ' ' || code == '\t' || code == '\n' || code == '\r';
}
// Tabs and ends of lines are normal in texts.
constexpr bool is_control(char32_t code, char32_t next) {
  if (code == '\r') return next != '\n';
  return (code < ' ' && code != '\t' && code != '\n') || code == 0x7F;
}
constexpr bool is_plain_byte(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code >= ' ' && code < 0x7F) || code == '\t' || code == '\n';
}
constexpr bool is_quote(char32_t code) {
  return code == '"' || code == '\'' || code == '`';
}
constexpr bool is_one_of(char32_t code, std::string_view characters) {
  return is_ascii(code) && code != 0 &&
         characters.find(static_cast<char>(code)) != std::string_view::npos;
}

constexpr char32_t kReplacement = 0xFFFD;  // for a byte that is not UTF-8
constexpr char32_t kNarrowSpace = 0x202F;
constexpr char32_t kIdeographicSpace = 0x3000;
constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kFirstSelector = 0xFE00;
constexpr char32_t kLastSelector = 0xFE0F;
constexpr char32_t kKeycap = 0x20E3;
constexpr char32_t kBlackFlag = 0x1F3F4;
constexpr char32_t kFirstTag = 0xE0020;
constexpr char32_t kLastTag = 0xE007F;

constexpr bool is_selector(char32_t code) {
  return code >= kFirstSelector && code <= kLastSelector;
}
constexpr bool is_tag(char32_t code) {
  return code >= kFirstTag && code <= kLastTag;
}

// Reads a text character by character. Missing characters read as 0.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {
    is_one_word_ =
        std::ranges::none_of(text, [](char c) { return is_blank(static_cast<unsigned char>(c)); });
  }

  std::optional<Suspect> find(std::optional<SuspectKind> wanted) {
    Character character = first_character(text_);
    while (offset_ < text_.size()) {
      const std::size_t end = offset_ + character.length;
      code_ = character.is_utf8 ? character.code : kReplacement;
      character = first_character(text_.substr(end));
      next_ = character.code;
      is_invisible_ = !is_ascii(code_) && is_invisible(code_);
      ascii_ = ascii_lookalike(code_);
      if (const auto found = read_suspect(); found && (!wanted || found->kind == *wanted))
        return found;
      step();
      offset_ = end;
    }
    return close_run(wanted);
  }

 private:
  std::optional<Suspect> read_suspect() {
    if (is_control(code_, next_)) return Suspect{SuspectKind::kInvisible, code_, offset_};
    if (is_ascii(code_)) {
      return is_letter(code_) || is_digit(code_) ? std::nullopt
                                                 : close_run(SuspectKind::kLookalike);
    }
    if (is_invisible_) {
      if (belongs_to_script()) return std::nullopt;
      return Suspect{SuspectKind::kInvisible, code_, offset_};
    }
    const auto looks_like = static_cast<unsigned char>(ascii_);
    const bool is_of_word = ascii_ == '\0' || is_letter(looks_like) || is_digit(looks_like);
    if (is_of_word) return std::nullopt;
    if (const auto found = close_run(SuspectKind::kLookalike)) return found;
    const bool suspicious = ascii_ == '-'          ? is_wrong_dash()
                            : is_quote(looks_like) ? is_wrong_quote()
                                                   : is_one_word_ && stands_in_ascii();
    if (!suspicious) return std::nullopt;
    return Suspect{SuspectKind::kLookalike, code_, offset_};
  }

  // Makes the current character the previous one.
  void step() {
    if (is_blank(code_)) {
      previous_word_is_flag_ = word_is_flag_;
      word_is_flag_ = false;
    } else if (before_ == 0 || is_blank(before_)) {
      word_is_flag_ = code_ == '-';
    }
    add_to_run();
    before_ = code_;
  }

  // Invisible characters that scripts need: in emoji, and between letters that are not ASCII.
  bool belongs_to_script() const {
    const bool follows_visible = !is_ascii(before_) && !is_lone_;
    if (is_selector(code_)) {
      const bool is_keycap =
          (is_digit(before_) || before_ == '#' || before_ == '*') && next_ == kKeycap;
      return follows_visible || is_keycap;
    }
    if (is_tag(code_)) return before_ == kBlackFlag || is_tag(before_);
    const bool joins = code_ == kJoiner || code_ == kNonJoiner || code_ == kIdeographicSpace ||
                       code_ == kNarrowSpace;
    return joins && follows_visible && !is_ascii(next_) && !is_invisible(next_);
  }

  // At the beginning of a word, as in a flag, or between ASCII characters in a single word.
  bool is_wrong_dash() const {
    const bool goes_on =
        is_letter(next_) || is_digit(next_) || next_ == '-' || ascii_lookalike(next_) == '-';
    const bool begins = before_ == 0 || is_blank(before_) || is_quote(before_);
    if (begins && goes_on) return true;
    if (before_ == '-' && goes_on) return true;
    return is_one_word_ && stands_in_ascii();
  }

  // Where a program or a shell reads a quote: next to its other signs, after a flag.
  bool is_wrong_quote() const {
    constexpr std::string_view kBefore = "{[(=:,";
    constexpr std::string_view kBehind = "-/{[$";
    if (is_one_of(before_, kBefore) || is_one_of(next_, kBehind)) return true;
    if ((before_ == 0 || is_blank(before_)) && previous_word_is_flag_) return true;
    return is_one_word_ && stands_in_ascii();
  }

  bool stands_in_ascii() const {
    return is_ascii(before_) && is_ascii(next_) && before_ + next_ != 0;
  }

  void add_to_run() {
    if (is_ascii(code_)) {
      run_.has_letter = run_.has_letter || is_letter(code_);
      run_.has_digit = run_.has_digit || is_digit(code_);
      return;
    }
    if (is_invisible_) {
      is_lone_ = !belongs_to_script();
      return;
    }
    is_lone_ = false;
    const auto looks_like = static_cast<unsigned char>(ascii_);
    if (ascii_ != '\0' && !is_letter(looks_like) && !is_digit(looks_like)) return;
    if (ascii_ == '\0') {
      run_.has_others = true;
    } else if (!run_.first) {
      run_.first = Suspect{SuspectKind::kLookalike, code_, offset_};
    }
  }

  // Ends a run of letters and digits. A run in one script has no letters of another.
  std::optional<Suspect> close_run(std::optional<SuspectKind> wanted) {
    const Run run = run_;
    run_ = {};
    if (!run.first || run.has_others || wanted == SuspectKind::kInvisible) return std::nullopt;
    const bool is_mixed = run.has_letter || (run.has_digit && is_fullwidth(run.first->code));
    return is_mixed ? run.first : std::nullopt;
  }

  struct Run {
    bool has_letter = false;
    bool has_digit = false;
    bool has_others = false;  // letters of other scripts without an ASCII lookalike
    std::optional<Suspect> first = std::nullopt;
  };

  std::string_view text_;
  bool is_one_word_ = false;
  bool is_lone_ = false;  // the previous character is invisible and part of nothing
  bool word_is_flag_ = false;
  bool previous_word_is_flag_ = false;
  std::size_t offset_ = 0;
  char32_t before_ = 0;
  char32_t code_ = 0;
  char32_t next_ = 0;
  bool is_invisible_ = false;  // code_, above ASCII
  char ascii_ = '\0';          // what code_ looks like
  Run run_;
};

// A message may be about each of many values with the same long text, of which it shows little.
constexpr std::size_t kLongestNoted = 4096;

// Also finds characters that prose may contain, since the text is displayed anyway. Ignores words
// of another script.
std::optional<Suspect> find_any(std::string_view text) {
  std::optional<Suspect> lookalike;
  bool has_others = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    const bool is_wide = character.is_utf8 && !is_ascii(character.code);
    if (is_wide && is_invisible(character.code)) {
      return Suspect{SuspectKind::kInvisible, character.code, at};
    }
    if (is_wide && ascii_lookalike(character.code) == '\0') {
      has_others = true;
    } else if (is_wide && !lookalike) {
      lookalike = Suspect{SuspectKind::kLookalike, character.code, at};
    }
    at += character.length;
  }
  return has_others ? find_suspect(text, SuspectKind::kLookalike) : lookalike;
}

}  // namespace

char ascii_lookalike(char32_t code) {
  if (is_ascii(code)) return '\0';
  if (is_fullwidth(code)) return static_cast<char>(code - kFullwidthOffset);
  const Lookalike* const found = find_lookalike(code);
  return found == nullptr ? '\0' : found->ascii;
}

bool has_non_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if ((word & kHighBits) != 0) return true;
  }
  return std::any_of(at, end, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    // A high bit where a byte is not ASCII, below 0x20 or DEL. Borrows may set others, too.
    const std::uint64_t low = word - 0x20 * kOnes;
    const std::uint64_t no_delete = (word ^ (0x7F * kOnes)) - kOnes;
    if (((word | low | no_delete) & kHighBits) == 0) continue;
    if (!std::all_of(at, at + 8, &is_plain_byte)) return false;
  }
  return std::all_of(at, end, &is_plain_byte);
}

std::optional<Suspect> find_suspect(std::string_view text) {
  if (is_plain(text)) return std::nullopt;
  return Finder(text).find(std::nullopt);
}

std::optional<Suspect> find_suspect(std::string_view text, SuspectKind kind) {
  if (is_plain(text)) return std::nullopt;
  return Finder(text).find(kind);
}

std::string as_it_looks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_wide = character.is_utf8 && !is_ascii(character.code);
    if (const char ascii = is_wide ? ascii_lookalike(character.code) : '\0'; ascii != '\0') {
      out += ascii;
    } else if (!is_wide || !is_invisible(character.code)) {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string describe(const Suspect& suspect) {
  std::string out = describe_character(suspect.code);
  if (suspect.kind == SuspectKind::kInvisible) return out;
  const char ascii = ascii_lookalike(suspect.code);
  if (const Lookalike* const found = find_lookalike(suspect.code)) {
    out += ' ';
    out += found->name;
  } else if (is_letter(static_cast<unsigned char>(ascii))) {
    const bool is_small = ascii >= 'a';
    out += is_small ? " FULLWIDTH LATIN SMALL LETTER " : " FULLWIDTH LATIN CAPITAL LETTER ";
    out += is_small ? static_cast<char>(ascii - 'a' + 'A') : ascii;
  }
  out += ", which looks like ";
  const char mark = ascii == '"' ? '\'' : '"';
  out += mark;
  out += ascii;
  out += mark;
  return out;
}

std::string suspect_note(std::string_view text) {
  text = text.substr(0, kLongestNoted);
  if (!has_non_ascii(text)) return {};
  const std::optional<Suspect> found = find_any(text);
  return found ? "contains " + describe(*found) : std::string{};
}

void append_suspect_note(std::string& out, std::string_view text) {
  const std::string note = suspect_note(text);
  if (!note.empty()) out += " (" + note + ")";
}

}  // namespace dynamo::text
