// Writes a file that a user names, without following a link in the tree to another file.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace dynamo::cli {

// Why a file or folder with that name must not be written: it is a link, or one of its folders
// within the working directory or a Git repository is. nullopt: it may be written.
std::optional<std::string> why_not_written(const std::string& name);

// ".NAME.XXXXXX" in the folder of `name`, for mkostemp(): on the same file system, and skipped when
// a folder is read.
std::string temporary_file_template(const std::string& name);

// A file that appears under its name once it is complete: it is written to a temporary file in the
// same folder and renamed, so that an error leaves the previous content. Devices, pipes and
// `/dev/stdout` are written directly. Not thread-safe.
class OutputFile {
 public:
  explicit OutputFile(std::string name) : name_(std::move(name)) {}
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& name() const { return name_; }

  // Returns why the file cannot be written, one line without the name: the folder is not writable,
  // or it or a folder below the working directory is a link. nullopt: stream() is open.
  std::optional<std::string> open();
  std::ostream& stream() { return *stream_; }
  // Completes the file and renames it into place. Returns why that failed, or nullopt.
  std::optional<std::string> close();

 private:
  std::string name_;
  std::string temporary_;  // empty: written directly, or not opened
  std::unique_ptr<std::ofstream> stream_;
};

}  // namespace dynamo::cli
