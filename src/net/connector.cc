#include "net/connector.h"

#include <memory>

#include "base/connector.h"
#include "net/attempt.h"
#include "net/uv_loop.h"

namespace sluice::net {
namespace {

class UvConnector final : public Connector {
 public:
  explicit UvConnector(UvLoop& loop) : loop_(loop) {}

  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                        ConnectEvents& events) override {
    auto attempt = std::make_unique<Attempt>(loop_, endpoint, events);
    loop_.defer([begun = attempt.get(), watch = attempt->watch()] {
      if (watch) begun->begin();
    });
    return attempt;
  }

 private:
  UvLoop& loop_;
};

}  // namespace

std::unique_ptr<Connector> make_connector(UvLoop& loop) {
  return std::make_unique<UvConnector>(loop);
}

}  // namespace sluice::net
