// The verbs of the command line; each adds itself with its options and action. One file per verb.
#pragma once

#include "model/cli/session.h"

namespace wavecast::cli {

void add_inspect(CLI::App& app, Session& session);
void add_occupancy(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_emulate(CLI::App& app, Session& session);
void add_device(CLI::App& app, Session& session);

}  // namespace wavecast::cli
