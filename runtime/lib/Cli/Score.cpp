//===- Score.cpp - quench-run score ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Errors.h"
#include "ModelFlags.h"
#include "Output.h"
#include "TokenSource.h"

#include "quench-rt/Decode/Scoring.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  TokenSource tokens;
  int64_t top = 1;
  bool json = false;
};
} // namespace

static Json scoresAsJson(const std::vector<PositionScore> &scores) {
  Json positions = Json::array();
  for (const PositionScore &score : scores) {
    Json top = Json::array();
    for (const auto &[id, logit] : score.top)
      top.push_back(Json::array({id, logit}));
    Json position = {{"token", score.token}, {"top", std::move(top)}};
    position["nll_of_next"] = score.nllOfNext ? Json(*score.nllOfNext) : Json(nullptr);
    positions.push_back(std::move(position));
  }
  return {{"positions", std::move(positions)}};
}

static std::string scoresAsText(const std::vector<PositionScore> &scores) {
  std::vector<std::vector<std::string>> rows = {{"position", "token", "loss of next", "top"}};
  double sum = 0;
  for (const PositionScore &score : scores) {
    std::string top = absl::StrJoin(
        score.top, ", ", [](std::string *out, const std::pair<int32_t, float> &entry) {
          absl::StrAppendFormat(out, "%d (%.3f)", entry.first, entry.second);
        });
    rows.push_back({absl::StrCat(rows.size() - 1), absl::StrCat(score.token),
                    score.nllOfNext ? absl::StrFormat("%.4f", *score.nllOfNext) : "", top});
    sum += score.nllOfNext.value_or(0);
  }
  std::string text = formatTable(rows);
  if (scores.size() > 1)
    absl::StrAppendFormat(&text, "mean loss %.4f over %d tokens\n",
                          sum / static_cast<double>(scores.size() - 1), scores.size() - 1);
  return text;
}

static absl::Status runScore(const Options &options) {
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> tokens, options.tokens.read(options.model.model));
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options.model));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, model.newSession(0, "--context"));
  QRT_ASSIGN_OR_RETURN(std::vector<PositionScore> scores,
                       score(*session, tokens, static_cast<size_t>(options.top)));
  if (options.json)
    printJson(scoresAsJson(scores));
  else
    print(scoresAsText(scores));
  return absl::OkStatus();
}

void cli::addScoreCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "score", "Shows, position by position, what the model expects and how likely the text is.",
      "  quench-run score model.gguf --tokens 504,3575,282,4649,314 --top 5 --json\n"
      "  quench-run score package -p \"The capital of France is Paris\"",
      runScore);
  addModelFlags(command, options.model);
  options.tokens.addTo(command);
  command.integer("--top", "K", options.top, 0, 1000000,
                  "How many logits to show at each position (default: 1)");
  command.flag("--json", options.json,
               "Prints {positions: [{token, top: [[id, logit], …], nll_of_next}]}");
}
