// Compiles JSON schemas as servers on llama.cpp do: to a grammar, which is then parsed. Reads one schema from each line,
// and prints `ok` or the reason for each. It is built from the sources in the package llama.rn.
#include "common/json-schema-to-grammar.h"
#include "llama-grammar.h"
#include "llama-vocab.h"
#include "nlohmann/json.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// What the two sources use of others, which need the whole library.
std::string string_join(const std::vector<std::string> & values, const std::string & separator) {
    std::string joined;
    for (size_t at = 0; at < values.size(); at++) joined += (at == 0 ? "" : separator) + values[at];
    return joined;
}

std::vector<std::string> string_split(const std::string & text, const std::string & delimiter) {
    std::vector<std::string> parts;
    size_t start = 0;
    for (size_t end; (end = text.find(delimiter, start)) != std::string::npos; start = end + delimiter.size()) {
        parts.push_back(text.substr(start, end - start));
    }
    parts.push_back(text.substr(start));
    return parts;
}

std::string string_repeat(const std::string & text, size_t count) {
    std::string repeated;
    for (size_t at = 0; at < count; at++) repeated += text;
    return repeated;
}

extern "C" void lm_ggml_abort(const char *, int, const char *, ...) { std::abort(); }

// Only a grammar with tokens calls it.
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { std::abort(); }

static std::string outcome(const std::string & schema) {
    try {
        const std::string grammar = json_schema_to_grammar(nlohmann::ordered_json::parse(schema), true);
        llama_grammar_parser parser;
        return parser.parse(grammar.c_str()) && !parser.rules.empty() ? "ok" : "the grammar cannot be parsed";
    } catch (const std::exception & error) {
        std::string reason = error.what();
        std::replace(reason.begin(), reason.end(), '\n', ' ');
        return reason;
    }
}

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << outcome(line) << "\n";
}
