#include "store/redis/pipeline.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace sluice::store::redis {

std::optional<Pipeline::Answered> Pipeline::answered() {
  if (waiting_.empty()) return std::nullopt;
  Answered answered{.tag = std::nullopt, .deadline = waiting_.front().deadline};
  if (expired_ > 0) {
    --expired_;
  } else {
    answered.tag = waiting_.front().tag;
  }
  waiting_.pop_front();
  return answered;
}

std::vector<std::uint64_t> Pipeline::expire(Instant now) {
  std::vector<std::uint64_t> tags;
  for (; expired_ < waiting_.size() && waiting_[expired_].deadline <= now; ++expired_)
    tags.push_back(waiting_[expired_].tag);
  return tags;
}

std::optional<Instant> Pipeline::next_deadline() const {
  if (expired_ == waiting_.size()) return std::nullopt;
  return waiting_[expired_].deadline;
}

std::vector<std::uint64_t> Pipeline::abandon() {
  std::vector<std::uint64_t> tags;
  for (std::size_t i = expired_; i < waiting_.size(); ++i) tags.push_back(waiting_[i].tag);
  waiting_.clear();
  expired_ = 0;
  return tags;
}

}  // namespace sluice::store::redis
