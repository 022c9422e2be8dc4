// Writes a file that a user names, without following a link of the tree to another file.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace dynamo::cli {

// Why a file or folder of that name must not be written: a link in its place, or among its folders
// in the current folder or in a Git repository. nullopt: it may be.
std::optional<std::string> why_not_written(const std::string& name);

// ".NAME.XXXXXX" in the folder of `name`, for mkostemp(): on the same file system, and skipped when
// a folder is read.
std::string template_beside(const std::string& name);

// A file that appears under its name when it is complete. It is written beside it and renamed, so
// that an error leaves what was there. Devices, pipes and `/dev/stdout` are written directly. Not
// thread-safe.
class OutputFile {
 public:
  explicit OutputFile(std::string name) : name_(std::move(name)) {}
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& name() const { return name_; }

  // Returns why it cannot be written, one line without the name: its folder, or a link in its
  // place or among the folders below the current one. nullopt: stream() is open.
  std::optional<std::string> open();
  std::ostream& stream() { return *stream_; }
  // Ends it, and puts it in its place. Returns why that failed, or nullopt.
  std::optional<std::string> close();

 private:
  std::string name_;
  std::string temporary_;  // empty: written directly, or not at all
  std::unique_ptr<std::ofstream> stream_;
};

}  // namespace dynamo::cli
