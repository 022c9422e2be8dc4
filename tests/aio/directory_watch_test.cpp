#include "aio/directory_watch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "tests/certs/fixtures.hpp"

namespace dynamo::test {
namespace {

using aio::DirectoryWatch;

class DirectoryWatchTest : public testing::Test {
 public:
  // True if the watch reports the effect of `change` within the deadline.
  template <class Change>
  bool reports(Change change) {
    loop.restart();
    loop.poll();  // ignores earlier events
    const int before = calls;
    change();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (calls == before && loop.run_one_until(deadline) != 0) {
    }
    return calls > before;
  }

  boost::asio::io_context loop{1};
  TempDirectory directory;
  int calls = 0;
};

TEST_F(DirectoryWatchTest, ReportsEachKindOfFileChange) {
  DirectoryWatch watch(loop, {directory.path()}, [this] { ++calls; });
  EXPECT_EQ(watch.renew(), 1U);
  EXPECT_TRUE(reports([&] { directory.write("file", "created"); }));
  EXPECT_TRUE(reports([&] { directory.write("file", "written"); }));
  EXPECT_TRUE(reports([&] {
    std::filesystem::permissions(directory.file("file"), std::filesystem::perms::owner_read);
  }));
  EXPECT_TRUE(
      reports([&] { std::filesystem::rename(directory.file("file"), directory.file("moved")); }));
  EXPECT_TRUE(reports([&] { directory.remove("moved"); }));
  EXPECT_TRUE(reports([&] { std::filesystem::create_symlink("x", directory.file("link")); }));
}

TEST_F(DirectoryWatchTest, ReportsMovesInAndOut) {
  const TempDirectory elsewhere;
  elsewhere.write("file", "x");
  DirectoryWatch watch(loop, {directory.path()}, [this] { ++calls; });
  EXPECT_TRUE(
      reports([&] { std::filesystem::rename(elsewhere.file("file"), directory.file("file")); }));
  EXPECT_TRUE(
      reports([&] { std::filesystem::rename(directory.file("file"), elsewhere.file("file")); }));
}

TEST_F(DirectoryWatchTest, IgnoresReaders) {
  directory.write("file", "content");
  DirectoryWatch watch(loop, {directory.path()}, [this] { ++calls; });
  EXPECT_EQ(directory.read("file"), "content");
  EXPECT_EQ(loop.poll(), 0U);
  EXPECT_EQ(calls, 0);
}

TEST_F(DirectoryWatchTest, RenewWatchesNewOrReplacedDirectory) {
  const std::string late = directory.file("late");
  DirectoryWatch watch(loop, {late}, [this] { ++calls; });
  EXPECT_EQ(watch.renew(), 0U);
  for (int life = 0; life < 2; ++life) {
    std::filesystem::create_directory(late);
    EXPECT_EQ(watch.renew(), 1U);
    EXPECT_TRUE(reports([&] { directory.write("late/file", "x"); }));
    std::filesystem::rename(late, directory.file("gone" + std::to_string(life)));
  }
  EXPECT_EQ(watch.renew(), 0U);
  loop.restart();
  loop.poll();
  const int before = calls;
  directory.write("gone1/file", "y");
  loop.poll();
  EXPECT_EQ(calls, before) << "what has another name now is of no interest";
}

TEST_F(DirectoryWatchTest, WatchesEachOfSeveralDirectoriesOnce) {
  const TempDirectory second;
  DirectoryWatch watch(loop, {second.path(), "", directory.path(), second.path()},
                       [this] { ++calls; });
  EXPECT_EQ(watch.renew(), 2U);
  EXPECT_TRUE(reports([&] { directory.write("file", "x"); }));
  EXPECT_TRUE(reports([&] { second.write("file", "x"); }));
}

TEST_F(DirectoryWatchTest, IsSilentAfterDestruction) {
  {
    DirectoryWatch watch(loop, {directory.path()}, [this] { ++calls; });
    directory.write("file", "x");
  }
  loop.run();
  EXPECT_EQ(calls, 0);
}

TEST_F(DirectoryWatchTest, CallbackMayDestroyIt) {
  std::unique_ptr<DirectoryWatch> watch;
  watch = std::make_unique<DirectoryWatch>(loop, std::vector<std::string>{directory.path()},
                                           [this, &watch] {
                                             ++calls;
                                             watch.reset();
                                           });
  EXPECT_TRUE(reports([&] { directory.write("file", "x"); }));
  loop.run();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace dynamo::test
