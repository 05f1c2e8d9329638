// The precompiled header of the commands: argument parsing and JSON on top of what the lower modules share.
#pragma once
#include "runtime/pch.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
