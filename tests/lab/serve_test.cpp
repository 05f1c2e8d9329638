#include "lab/visitor.hpp"

#include <nightjar/lab/serve.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>

namespace nightjar::lab {
namespace {

class Serve : public testing::Test {
 protected:
  Serve() {
    std::string shape = testing::TempDir() + "nightjar-lab-XXXXXX";
    folder_ = ::mkdtemp(shape.data());
    options_.quiet = true;
    options_.inventory_file = folder_ + "/inventory.csv";
    options_.ready_file = folder_ + "/ready";
    options_.log_file = folder_ + "/log";
  }
  ~Serve() override { std::filesystem::remove_all(folder_); }
  static std::string text(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder_;
  ServeOptions options_;
};

TEST_F(Serve, WritesTheInventoryAndSaysReadyWhileItListens) {
  options_.devices = 3;
  std::string ready, inventory;
  bool reached = false;
  EXPECT_EQ(serve(options_,
                  [&] {
                    ready = text(options_.ready_file);
                    inventory = text(options_.inventory_file);
                    const std::size_t address = inventory.find("127.0.0.1,");
                    const int port =
                        address == std::string::npos ? 0 : std::atoi(inventory.c_str() + address + 10);
                    Visitor visitor(static_cast<std::uint16_t>(port));
                    reached = visitor.log_in();
                    return true;
                  }),
            0);
  EXPECT_EQ(ready, "3\n");
  EXPECT_TRUE(reached);
  EXPECT_NE(inventory.find("\nbench,bench-00003,127.0.0.1,"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(options_.inventory_file + ".hostkey"));
  EXPECT_TRUE(text(options_.log_file).starts_with("{\"event\":\"opened\""));
}

TEST_F(Serve, EndsAtSigterm) {
  bool raised = false;
  EXPECT_EQ(serve(options_,
                  [&] {
                    if (!raised) ::raise(SIGTERM);
                    raised = true;
                    return false;
                  }),
            0);
  EXPECT_TRUE(raised);
}

TEST_F(Serve, ReturnsThreeForAPlanThatIsNotThere) {
  options_.plan_file = folder_ + "/none.json";
  EXPECT_EQ(serve(options_), 3);
  EXPECT_FALSE(std::filesystem::exists(options_.ready_file));
}

}  // namespace
}  // namespace nightjar::lab
