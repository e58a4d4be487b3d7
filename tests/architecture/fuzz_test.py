"""Aim: what takes the bytes of others apart is fuzzed.

Method: looks in every header of src/ for what decodes, which goes by its name: functions that begin with parse, decode
and the like, and classes that end in Parser, Reader or Scan. Each such header must be included by a target in
tests/fuzz, or by name be a part of one that is. Each target must be built, and have seeds that a person can read.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
FUZZ = ROOT / "tests" / "fuzz"

FUNCTION = re.compile(
    r"^(?!\s*(?://|\*|return\b)).*?(?<![\w.>])"
    r"((?:parse|percent_decode|decode|load_text|sniff|classify|split_field|normal_path)(?:_\w+)?"
    r"|read_(?:answer|document|value|reply|lines)|questions?_of_\w+)\((?=\S)", re.MULTILINE)
CLASS = re.compile(r"^\s*(?:class|struct)\s+(\w*(?:Parser|Reader|Scan))\b(?!\s*;)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LARGEST_SEED = 1000

# Header: the header that is fuzzed and decodes by means of it.
PARTS = {
    "wire/http1/chunk_scan.h": "wire/http1/request_parser.h",
    "wire/http1/head_scan.h": "wire/http1/request_parser.h",
    "wire/http1/line_reader.h": "wire/http1/request_parser.h",
    "wire/http1/response_head_scan.h": "wire/http1/response_parser.h",
    "config/value.h": "config/load.h",
    "store/redis/topology_kinds.h": "base/connector.h",  # Endpoint::parse of each text in a list
}


def decoders(text):
    """The names in a header that decode."""
    return sorted({match[1] for pattern in (FUNCTION, CLASS) for match in pattern.finditer(text)})


def headers():
    return {str(path.relative_to(SRC)): path.read_text() for path in sorted(SRC.rglob("*.h"))}


def targets():
    return {path.name.removesuffix("_fuzz.cc"): path.read_text() for path in sorted(FUZZ.glob("*_fuzz.cc"))}


def fuzzed():
    """All headers that targets include, themselves or by helpers in tests/fuzz."""
    texts = list(targets().values()) + [path.read_text() for path in FUZZ.glob("*.h")]
    return {header for text in texts for header in INCLUDE.findall(text)}


class Fuzzing(unittest.TestCase):
    def test_every_decoder_has_a_target(self):
        included = fuzzed()
        missing = {name: found for name, text in headers().items()
                   if (found := decoders(text)) and PARTS.get(name, name) not in included}
        self.assertEqual(missing, {}, "these decode and no target in tests/fuzz includes them")

    def test_parts_are_there_and_decode(self):
        known = headers()
        for part, whole in PARTS.items():
            self.assertTrue(decoders(known[part]), f"{part} does not decode")
            self.assertIn(whole, fuzzed())

    def test_decoders_are_found(self):
        for text, names in {
            "[[nodiscard]] Result<int> parse_thing(std::string_view text);": ["parse_thing"],
            "  [[nodiscard]] static Result<Endpoint> parse(std::string_view text);": ["parse"],
            "class ThingReader {": ["ThingReader"],
            "class ThingReader;": [],
            "/// What parse_thing(text) reads.": [],
            "  return parse_thing(text);": [],
        }.items():
            self.assertEqual(decoders(text), names, text)

    def test_targets_are_built_and_have_seeds(self):
        built = set(re.findall(r"^sluice_fuzz\((\w+)", (FUZZ / "CMakeLists.txt").read_text(), re.MULTILINE))
        self.assertEqual(built, set(targets()))
        for name in targets():
            seeds = [path for path in (FUZZ / "corpus" / name).glob("*") if path.is_file()]
            self.assertTrue(seeds, f"{name} has no seeds")
            for seed in seeds:
                self.assertLessEqual(seed.stat().st_size, LARGEST_SEED, f"{seed}: minimise it")


if __name__ == "__main__":
    unittest.main()
