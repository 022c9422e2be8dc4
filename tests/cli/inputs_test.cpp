#include "cli/input/inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/input/inputs_read.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Inputs : public testing::Test {
 protected:
  // Names relative to the workspace; a faulty one as "NAME: FAULT".
  std::vector<std::string> list(const std::vector<std::string>& names, bool recursive = false,
                                std::vector<std::string> excluded = {}, bool as_found = false) {
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) {
      paths.push_back(name == "-" ? name : workspace_.path(name));
    }
    std::vector<std::string> shown;
    const ListedInputs listed = list_inputs({paths, recursive, excluded, as_found});
    patches_.clear();
    for (const std::string& patch : listed.patches) patches_.push_back(workspace_.shown(patch));
    notes_.clear();
    for (const std::string& note : listed.notes) notes_.push_back(workspace_.shown(note));
    charts_.clear();
    charts_.reserve(listed.charts.size());
    shown.reserve(listed.inputs.size());
    for (const std::string& chart : listed.charts) charts_.push_back(workspace_.shown(chart));
    for (const Input& input : listed.inputs) {
      shown.push_back(
          workspace_.shown(input.fault.empty() ? input.name : input.name + ": " + input.fault));
    }
    return shown;
  }

  // The reason why a file is not read, or its text.
  std::string opened(const std::string& name, std::string_view standard_input = {}) {
    std::istringstream in{std::string(standard_input)};
    auto source = open_input(name, in);
    if (const auto* const fault = std::get_if<ReadFault>(&source)) return fault->reason;
    std::string text;
    std::array<char, 7> bytes;
    for (;;) {
      const auto read = std::get<std::unique_ptr<ByteSource>>(source)->read(bytes);
      if (const auto* const fault = std::get_if<ReadFault>(&read)) return fault->reason;
      const std::size_t count = std::get<std::size_t>(read);
      if (count == 0) return text;
      text.append(bytes.data(), count);
    }
  }

  test::Workspace workspace_;
  // Results of the last list().
  std::vector<std::string> charts_;
  std::vector<std::string> patches_;
  std::vector<std::string> notes_;
};

TEST_F(Inputs, DirectoryManifestsAreListedAlphabetically) {
  for (const char* name : {"d/b.yaml", "d/a.json", "d/c.yml", "d/readme.md", "d/z/deep.yaml"}) {
    workspace_.write(name, "");
  }
  EXPECT_THAT(list({"d"}), ElementsAre("d/a.json", "d/b.yaml", "d/c.yml"));
}

TEST_F(Inputs, SubdirectoriesAreReadOnlyWhenRecursive) {
  for (const char* name : {"d/a.yaml", "d/m/y/x.yaml", "d/z.yaml"}) workspace_.write(name, "");
  EXPECT_THAT(list({"d"}, true), ElementsAre("d/a.yaml", "d/m/y/x.yaml", "d/z.yaml"));
}

TEST_F(Inputs, KeepTheOrderOfTheArguments) {
  workspace_.write("b.yaml", "");
  workspace_.write("a.txt", "");
  EXPECT_THAT(list({"b.yaml", "-", "a.txt"}), ElementsAre("b.yaml", "-", "a.txt"));
}

TEST_F(Inputs, HiddenNamesInADirectoryAreSkipped) {
  for (const char* name : {"d/.git/x.yaml", "d/.a.yaml", "d/b.yaml"}) workspace_.write(name, "");
  EXPECT_THAT(list({"d"}, true), ElementsAre("d/b.yaml"));
}

TEST_F(Inputs, FileLinksAreReadAndDirectoryLinksSkipped) {
  workspace_.write("d/real/a.yaml", "");
  fs::create_symlink("real/a.yaml", workspace_.path("d/link.yaml"));
  fs::create_directory_symlink(".", workspace_.path("d/loop"));
  fs::create_directory_symlink(workspace_.path("d"), workspace_.path("d/real/loop.yaml"));
  EXPECT_THAT(list({"d"}, true), ElementsAre("d/link.yaml", "d/real/a.yaml", "d/real/loop.yaml"));
  EXPECT_THAT(list({"d/loop"}), ElementsAre("d/loop/link.yaml"));
}

TEST_F(Inputs, ExcludedNamesInADirectoryAreSkipped) {
  for (const char* name : {"d/a.yaml", "d/b.yaml", "d/z/a.yaml", "d/z/y/x.yaml"}) {
    workspace_.write(name, "");
  }
  EXPECT_THAT(list({"d"}, true, {"*/b.yaml", "*/y/*"}), ElementsAre("d/a.yaml", "d/z/a.yaml"));
  EXPECT_THAT(list({"d"}, true, {"*/d/z"}), ElementsAre("d/a.yaml", "d/b.yaml"));
  // The whole name, not a part of it.
  EXPECT_THAT(list({"d"}, false, {"b.yaml"}), ElementsAre("d/a.yaml", "d/b.yaml"));
}

TEST_F(Inputs, NamedFilesAreReadDespiteGlobs) {
  workspace_.write("d/a.yaml", "");
  EXPECT_THAT(list({"d/a.yaml"}, false, {"*"}), ElementsAre("d/a.yaml"));
  EXPECT_THAT(list({"d"}, false, {"*"}), ElementsAre(HasSubstr("; --exclude left out what there")));
}

TEST_F(Inputs, ChartTemplatesAreSkippedAndReported) {
  for (const char* name :
       {"d/chart/Chart.yaml", "d/chart/templates/graph.yaml", "d/chart/templates/x/deep.yaml",
        "d/chart/values.yaml", "d/plain/templates/graph.yaml"}) {
    workspace_.write(name, "");
  }
  EXPECT_THAT(list({"d"}, true), ElementsAre("d/chart/Chart.yaml", "d/chart/values.yaml",
                                             "d/plain/templates/graph.yaml"));
  EXPECT_THAT(charts_, ElementsAre("d/chart"));
  // A named directory is always read.
  EXPECT_THAT(list({"d/chart/templates"}), ElementsAre("d/chart/templates/graph.yaml"));
  EXPECT_THAT(charts_, IsEmpty());
  list({"d"}, true, {"*/chart"});
  EXPECT_THAT(charts_, IsEmpty());
}

TEST_F(Inputs, DirectoriesWithoutManifestsAreFaults) {
  workspace_.write("d/z/deep.yaml", "");
  workspace_.write("e/readme.md", "");
  EXPECT_THAT(list({"d", "e"}),
              ElementsAre("d: there is no manifest (*.yaml, *.yml, *.json) in this directory; -R "
                          "also reads the directories below it",
                          "e: there is no manifest (*.yaml, *.yml, *.json) in this directory"));
  fs::create_directory_symlink(workspace_.path("d/z"), workspace_.path("e/link"));
  EXPECT_THAT(list({"e"}), ElementsAre(HasSubstr("links to directories are not followed")));
}

TEST_F(Inputs, RecursiveSearchWithoutManifestsIsNoFault) {
  workspace_.write("e/readme.md", "");
  EXPECT_THAT(list({"e"}, true), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("e: there is no manifest (*.yaml, *.yml, *.json) in this "
                                  "directory"));
}

TEST_F(Inputs, KustomizationPatchesAreSkippedAndReported) {
  workspace_.write("d/base/graph.yaml", "");
  workspace_.write("d/base/shared-patch.yaml", "");
  workspace_.write(
      "d/over/kustomization.yaml",
      "resources: [../base/graph.yaml]\n"
      "patches:\n- path: sub/replicas.yaml\n  target: {kind: X}\n- patch: |-\n    a: 1\n"
      "patchesStrategicMerge:\n- ../base/shared-patch.yaml\n- |-\n  a: 1\n"
      "patchesJson6902:\n- {target: {kind: X}, path: ./ops.json}\n");
  for (const char* name : {"d/over/sub/replicas.yaml", "d/over/ops.json", "d/over/whole.yaml"}) {
    workspace_.write(name, "");
  }
  EXPECT_THAT(list({"d"}, true),
              ElementsAre("d/base/graph.yaml", "d/over/kustomization.yaml", "d/over/whole.yaml"));
  EXPECT_THAT(patches_, ElementsAre("d/base/shared-patch.yaml", "d/over/ops.json",
                                    "d/over/sub/replicas.yaml"));
  // A named file is always read.
  EXPECT_THAT(list({"d/over/ops.json"}), ElementsAre("d/over/ops.json"));
  EXPECT_THAT(list({"d/over"}), ElementsAre("d/over/kustomization.yaml", "d/over/whole.yaml"));
}

TEST_F(Inputs, PatchesOfAParentKustomizationAreSkipped) {
  workspace_.write("d/kustomization.yaml", "patches: [{path: patches/a.yaml}]\n");
  workspace_.write("d/patches/a.yaml", "");
  workspace_.write("d/patches/b.yaml", "");
  EXPECT_THAT(list({"d/patches"}), ElementsAre("d/patches/b.yaml"));
  EXPECT_THAT(list({"d/patches/"}, true), ElementsAre("d/patches/b.yaml"));
  EXPECT_THAT(list({"d/patches/a.yaml"}, false, {}, true), IsEmpty());
  EXPECT_THAT(patches_, ElementsAre("d/patches/a.yaml"));
  // Kustomizations of another repository do not count.
  fs::create_directories(workspace_.path("d/patches/.git"));
  EXPECT_THAT(list({"d/patches"}), ElementsAre("d/patches/a.yaml", "d/patches/b.yaml"));
}

TEST_F(Inputs, UnreadableKustomizationNamesNoPatches) {
  workspace_.write("d/Kustomization", "patches: [{path: a.yaml");
  workspace_.write("d/a.yaml", "");
  fs::create_directories(workspace_.path("d/kustomization.yml"));
  EXPECT_THAT(list({"d"}, true), ElementsAre("d/a.yaml"));
}

TEST_F(Inputs, AsFoundPatchesAndTemplatesAreSkipped) {
  workspace_.write("d/kustomization.yaml", "patches: [{path: patch.yaml}]\n");
  workspace_.write("chart/Chart.yaml", "");
  for (const char* name : {"d/patch.yaml", "d/a.yaml", "chart/templates/x/a.yaml"}) {
    workspace_.write(name, "");
  }
  const std::vector<std::string> all{"d/patch.yaml", "d/a.yaml", "chart/templates/x/a.yaml"};
  EXPECT_THAT(list(all), ElementsAre("d/patch.yaml", "d/a.yaml", "chart/templates/x/a.yaml"));
  EXPECT_THAT(list(all, false, {}, true), ElementsAre("d/a.yaml"));
  EXPECT_THAT(patches_, ElementsAre("d/patch.yaml"));
  EXPECT_THAT(charts_, ElementsAre("chart"));
}

TEST_F(Inputs, AsFoundExcludedFilesAreSkipped) {
  const std::vector<std::string> all{"d/a.yaml", "d/b.yaml", "d/z/y/x.yaml", "d/.c.yaml",
                                     "d/.h/e.yaml"};
  for (const std::string& name : all) workspace_.write(name, "");
  fs::create_directories(workspace_.path(".git"));
  EXPECT_THAT(list(all, false, {"*/z", "*/b.yaml"}, true), ElementsAre("d/a.yaml"));
  EXPECT_THAT(list(all, false, {"*/b.yaml"}, true), ElementsAre("d/a.yaml", "d/z/y/x.yaml"));
  EXPECT_THAT(list(all, false, {"*"}), testing::SizeIs(5)) << "named files are meant";
}

TEST_F(Inputs, HiddenFolderAboveTheRepositoryIsIgnored) {
  workspace_.write(".home/r/d/a.yaml", "");
  fs::create_directories(workspace_.path(".home/r/.git"));
  EXPECT_THAT(list({".home/r/d/a.yaml"}, false, {}, true), ElementsAre(".home/r/d/a.yaml"));
}

TEST_F(Inputs, MissingFilesDoNotHideOtherInputs) {
  workspace_.write("a.yaml", "");
  EXPECT_THAT(list({"none.yaml", "a.yaml"}),
              ElementsAre("none.yaml: there is no such file or directory", "a.yaml"));
}

// Root may read everything, so the process runs as an unprivileged user while this exists.
class UnprivilegedUser {
 public:
  UnprivilegedUser() { become(kNobody); }
  ~UnprivilegedUser() { become(user_); }
  UnprivilegedUser(const UnprivilegedUser&) = delete;
  UnprivilegedUser& operator=(const UnprivilegedUser&) = delete;

 private:
  static constexpr ::uid_t kNobody = 65'534;
  void become(::uid_t user) const {
    if (user_ != 0) return;
    EXPECT_EQ(::seteuid(user), 0);
  }
  const ::uid_t user_ = ::geteuid();
};

TEST_F(Inputs, UnreadableDirectoriesAreFaults) {
  workspace_.write("d/x/a.yaml", "");
  workspace_.write("d/b.yaml", "");
  fs::permissions(workspace_.path(""), fs::perms::all);
  fs::permissions(workspace_.path("d/x"), fs::perms::none);
  {
    const UnprivilegedUser nobody;
    EXPECT_THAT(list({"d"}, true),
                ElementsAre("d/b.yaml", "d/x: the directory cannot be read: Permission denied"));
  }
  fs::permissions(workspace_.path("d/x"), fs::perms::owner_all);
}

TEST_F(Inputs, AreReadCompletely) {
  EXPECT_EQ(opened(workspace_.write("a", "twenty bytes of text")), "twenty bytes of text");
  EXPECT_EQ(opened("-", "twenty bytes of text"), "twenty bytes of text");
}

TEST_F(Inputs, NamedPipesAreRefusedWithoutWaiting) {
  const std::string name = workspace_.path("pipe.yaml");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(opened(name),
            "only regular files are read; this is a named pipe; use -f - to read from a pipe");
  EXPECT_EQ(opened("/dev/zero"),
            "only regular files are read; this is a device; use -f - to read from a pipe");
}

TEST_F(Inputs, ShellPipesAreRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  // The reader starts first, so it must wait for the text.
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], "a: 1\n", 5), 5);
    ::close(ends[1]);
  });
  EXPECT_EQ(opened("/dev/fd/" + std::to_string(ends[0])), "a: 1\n");
  writer.join();
  ::close(ends[0]);
}

TEST_F(Inputs, LongFilesAreRefusedBeforeReading) {
  const std::string name = workspace_.write("big.yaml", "");
  fs::resize_file(name, 200'000'000);
  EXPECT_EQ(opened(name), "the input is longer than 134217728 bytes: 200000000; split it");
}

TEST_F(Inputs, StandardInputAboveTheLimitIsRefused) {
  std::istringstream in{std::string(kLongestInput + 1, 'x')};
  auto opened = open_input("-", in);
  auto& source = *std::get<std::unique_ptr<ByteSource>>(opened);
  std::string bytes(std::size_t{1} << 20U, '\0');
  std::size_t total = 0;
  for (;;) {
    const auto read = source.read(bytes);
    if (const auto* const fault = std::get_if<ReadFault>(&read)) {
      EXPECT_EQ(fault->reason, "the input is longer than 134217728 bytes; split it");
      break;
    }
    ASSERT_NE(std::get<std::size_t>(read), 0U) << "no fault before the end";
    total += std::get<std::size_t>(read);
  }
  EXPECT_EQ(total, kLongestInput);
}

TEST_F(Inputs, UnreadableFilesHaveAReason) {
  EXPECT_EQ(opened(workspace_.path("none")),
            "the file cannot be opened: No such file or directory");
  workspace_.write("d/a", "");
  EXPECT_EQ(opened(workspace_.path("d")), "only regular files are read; this is a directory");
  if (::geteuid() == 0) return;
  const std::string name = workspace_.write("secret", "");
  fs::permissions(name, fs::perms::none);
  EXPECT_EQ(opened(name), "the file cannot be opened: Permission denied");
}

}  // namespace
}  // namespace dynamo::cli
