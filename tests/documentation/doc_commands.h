// The commands that a page of the documentation shows.
//
// In a block fenced as ```console, a line that begins with "$ " is a command; one that ends in a backslash goes on in
// the next line. Everything else in the block is what the command prints, in part. A command may end in a comment:
//     $ mfma-conform replay broken.case   # exit code 1
//     $ sbatch job.sh                     # not run by the tests: needs Slurm
// Without one it must end with exit code 0. Commands stand nowhere else but in spans of text, `mfma-conform list
// --shapes`.
#pragma once

#include <string>
#include <vector>

namespace mfma::documentation {

struct Command {
  std::string text;     // as a shell takes it, comment and all
  int line = 0;         // of the page
  int exit_code = 0;    // that it must end with
  std::string not_run;  // why the tests do not run it; empty: they do
};

struct Page {
  std::vector<Command> commands;
  std::vector<Command> spans;         // whole commands within sentences: only whether they would be taken is tested
  std::vector<std::string> problems;  // commands in other places, comments that are not understood: "LINE: what"
};

Page read_page(const std::string& text);

}  // namespace mfma::documentation
