//===- Session.cpp - a program and the state of one sequence --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Session.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

Session::~Session() = default;

absl::StatusOr<std::unique_ptr<Session>> Session::create(const Executable &executable,
                                                         const SessionOptions &options) {
  const LibraryDescriptor &library = executable.descriptor();
  if (options.prefillRows < 0 || options.prefillRows > library.maxRows)
    return absl::InvalidArgumentError(absl::StrCat("prefill of ", options.prefillRows,
                                                   " rows: expected at most ", library.maxRows));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<LanguageModel> model,
                       LanguageModel::create(executable, "", options.contextLength));
  std::unique_ptr<Session> session(new Session(std::move(model)));
  session->prefillRows = options.prefillRows ? options.prefillRows : library.maxRows;
  if (!library.drafts.empty())
    QRT_RETURN_IF_ERROR(session->addRounds(executable));
  return session;
}

absl::Status Session::addRounds(const Executable &executable) {
  const LibraryDescriptor &library = executable.descriptor();
  const DraftSpec &spec = library.drafts[0];
  const bool ownModel = spec.source == "model";
  if (ownModel) {
    QRT_ASSIGN_OR_RETURN(small, DraftModel::create(executable, contextLength(), vocabularySize()));
  }
  std::vector<absl::string_view> args = {"tensor<?xi32>", "i64", "cache"};
  if (ownModel)
    args.push_back("cache");
  LanguageModel::Entry entry;
  entry.name = "round";
  QRT_ASSIGN_OR_RETURN(
      entry.index, executable.entry(entry.name, args,
                                    {"tensor<?xi32>", "tensor<?xf32>", "i64", "tensor<?xi32>"}));
  // The newest token, and the last candidate of the round before if a draft lacks it.
  const int64_t rows = spec.max + (ownModel ? 2 : 1);
  if (rows > library.maxRows)
    return absl::FailedPreconditionError(absl::StrCat("the program drafts up to ", spec.max,
                                                      " tokens, but takes only ", library.maxRows,
                                                      " rows"));
  mostDraft = spec.max;
  roundEntry = std::move(entry);
  QRT_ASSIGN_OR_RETURN(pendingBuffer, executable.device().allocate(static_cast<size_t>(maxRows()) *
                                                                   sizeof(int32_t)));
  return absl::OkStatus();
}

absl::optional<int64_t> Session::maxDraft() const {
  return roundEntry ? absl::make_optional(mostDraft) : absl::nullopt;
}

int64_t Session::draft(int64_t source, absl::Span<const int32_t> pending,
                       absl::Span<int32_t> candidates) {
  if (!drafter || source != 0)
    return 0;
  drafted = proposeTokens(*drafter, pending, candidates, vocabularySize());
  return drafted;
}

absl::StatusOr<Session::Round> Session::round(int32_t pending, int64_t limit, DraftSource &source) {
  if (!roundEntry)
    return absl::FailedPreconditionError(
        "the program was compiled without a draft source, so it cannot speculate");
  if (limit < 0 || limit > mostDraft)
    return absl::InvalidArgumentError(
        absl::StrCat("a draft of ", limit, " tokens: expected 0 to ", mostDraft));
  if (small && &source != small.get())
    return absl::InvalidArgumentError("the program drafts with its own model");
  absl::Span<const int32_t> tokens(&pending, 1);
  if (small) {
    QRT_ASSIGN_OR_RETURN(tokens, small->prepare(limit));
    if (tokens.back() != pending)
      return absl::InvalidArgumentError(absl::StrCat(
          "pending token ", pending, ", but the draft's sequence ends with ", tokens.back()));
  }
  QRT_RETURN_IF_ERROR(model->setTokens(tokens));
  QRT_RETURN_IF_ERROR(model->reserve(1 + limit));
  int64_t accepted = -1;
  std::vector<qrt_tensor> args = {model->tokensArg(tokens.size()), {&limit, {}}, model->cacheArg()};
  if (small)
    args.push_back(small->cacheArg());
  const size_t results = args.size();
  args.push_back(model->idsResult());
  args.push_back(model->scoresResult());
  args.push_back({&accepted, {}});
  args.push_back({pendingBuffer->data(), {}});
  drafter = &source;
  drafted = small ? limit : 0;
  absl::StatusOr<int64_t> committed =
      model->run(*roundEntry, 1 + limit, absl::MakeSpan(args), this);
  drafter = nullptr;
  if (!committed.ok() && small)
    small->dropRound();
  QRT_RETURN_IF_ERROR(committed.status());
  const qrt_tensor &ids = args[results], &scores = args[results + 1], &next = args[results + 3];
  if (accepted < 0 || accepted > drafted || ids.dims[0] != accepted + 1 ||
      scores.dims[0] != accepted + 1 || *committed != accepted + 1)
    return misbehaved("round", absl::StrCat("accepted ", accepted, " of ", drafted,
                                            " candidates, emitted ", ids.dims[0],
                                            " tokens and committed ", *committed, " positions"));
  Round round;
  QRT_ASSIGN_OR_RETURN(round.emitted, model->takeStep(*roundEntry, accepted + 1));
  round.drafted = drafted;
  round.accepted = accepted;
  if (small)
    QRT_RETURN_IF_ERROR(small->takeRound(round.emitted.ids));
  const auto *last = reinterpret_cast<const int32_t *>(pendingBuffer->data());
  const int64_t count = next.dims[0];
  if (count < 1 || count > (small ? 2 : 1) || last[count - 1] != round.emitted.ids.back())
    return misbehaved("round", "did not return its last token as the pending one");
  return round;
}
