"""Damage to files: bits, bytes, lines, JSON, TOML, tensors, and paths that are no files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

Rng = np.random.Generator
Change = Callable[[bytes, Rng], bytes]

MARK: Final = "@@put the raw text here@@"
DEEP: Final = 100_000  # more than Python's parsers allow
STAMPED: Final = 0.8  # share of damaged weights whose description gets their digest
SPECIAL: Final = 0.04  # share of damage that replaces a file by something else
UPPER: Final = 0.5  # share of changed values that are near the root
NEAR: Final = 2  # levels below the root
WORD: Final = 4  # bytes of a float32

WORDS: Final = (
    "x", "human", "random", "greedy", "mcts", "tower_up", "urban_sprawl", "ginkgopolis",
    "num_players", "short", "long", "start", "standard", "../../etc/passwd", "/dev/zero", "os:path",
    "data", "\ud800", "\x1b[31m", "a\nb", "\r", "\0", "\u202e", "\u2028", "é", "NaN", " ",
)  # fmt: skip
"""Texts that mean something in some file, or that print as something else than themselves."""

RAW: Final = (
    "0", "1", "-1", "2", "3", "4", "5", "7", "16", "100", "127", "128", "-128", "-129", "255",
    "256", "32768", "2147483648", "9223372036854775807", "9223372036854775808", "1e15", "1e16",
    "-9223372036854775809", "1" * 400, "9" * 5000, "0.5", "-0.0", "1.0", "1e308", "1e999", "-1e999",
    "NaN", "Infinity", "-Infinity", "true", "false", "null", '""', "[]", "{}", "[null]", "[[]]",
    '{"":0}', '"' + "x" * 5000 + '"', "[" * 50 + "]" * 50, "[" * DEEP, '{"a":' * DEEP,
    "[" * DEEP + "]" * DEEP, "[" + "0," * 5000 + "0]",
    *(json.dumps(word) for word in WORDS),
)  # fmt: skip
"""JSON texts of values, and texts that Python's parser takes for JSON."""


def pick(rng: Rng, items: Any) -> Any:
    """Return one of the items."""
    return items[int(rng.integers(len(items)))]


def span(content: bytes, rng: Rng) -> tuple[int, int]:
    """Return start and end of a part, often a short one."""
    start = int(rng.integers(len(content) + 1))
    length = int(rng.integers(1, 9)) if rng.random() < UPPER else int(rng.integers(len(content)))
    return start, min(len(content), start + length)


# ---------------------------------------------------------------------------------------- bytes


def flip_bits(content: bytes, rng: Rng) -> bytes:
    """Flip one to three bits; of nothing, those of one byte."""
    changed = bytearray(content or b"\0")
    for _ in range(int(rng.integers(1, 4))):
        changed[rng.integers(len(changed))] ^= 1 << rng.integers(8)
    return bytes(changed)


def delete_bytes(content: bytes, rng: Rng) -> bytes:
    """Delete a part."""
    start, end = span(content, rng)
    return content[:start] + content[end:]


def insert_bytes(content: bytes, rng: Rng) -> bytes:
    """Insert random bytes, or characters of the file's syntax."""
    start, _ = span(content, rng)
    new = rng.bytes(int(rng.integers(1, 20)))
    if rng.random() < UPPER:
        new = bytes(pick(rng, b'{}[]",:=0123456789-.eE \n\t\\') for _ in range(rng.integers(1, 4)))
    return content[:start] + new + content[start:]


def repeat_bytes(content: bytes, rng: Rng) -> bytes:
    """Insert a part again, at its place or elsewhere."""
    start, end = span(content, rng)
    place = end if rng.random() < UPPER else int(rng.integers(len(content)))
    return content[:place] + content[start:end] + content[place:]


def truncate(content: bytes, rng: Rng) -> bytes:
    """Cut off the end."""
    return content[: rng.integers(len(content))]


def empty(content: bytes, rng: Rng) -> bytes:
    """Delete everything."""
    return b""


def recode(content: bytes, rng: Rng) -> bytes:
    """Write the text in another encoding, with a mark at its start, or with zero bytes inside."""
    text = content.decode("utf-8", "replace")
    start, end = span(content, rng)
    return bytes(
        pick(
            rng,
            [
                text.encode("utf-16"),
                b"\xef\xbb\xbf" + content,
                content[:start] + b"\0" * (end - start) + content[end:],
                content[:start] + pick(rng, [b"\xff", b"\xc3(", b"\xed\xa0\x80"]) + content[start:],
                content.replace(b"\n", b"\r\n"),
                content.replace(b"\n", "\u2028".encode()),
            ],
        )
    )


# ---------------------------------------------------------------------------------------- lines


def _lines(change: Callable[[list[bytes], Rng], None]) -> Change:
    def changed(content: bytes, rng: Rng) -> bytes:
        lines = content.splitlines(keepends=True) or [b""]
        change(lines, rng)
        return b"".join(lines)

    return changed


@_lines
def swap_lines(lines: list[bytes], rng: Rng) -> None:
    """Exchange two lines."""
    first, second = (int(k) for k in rng.integers(len(lines), size=2))
    lines[first], lines[second] = lines[second], lines[first]


@_lines
def repeat_line(lines: list[bytes], rng: Rng) -> None:
    """Insert a line again, at its place or elsewhere."""
    lines.insert(int(rng.integers(len(lines) + 1)), pick(rng, lines))


@_lines
def delete_line(lines: list[bytes], rng: Rng) -> None:
    """Delete a line."""
    del lines[rng.integers(len(lines))]


PLAIN: Final[tuple[Change, ...]] = (
    flip_bits, delete_bytes, insert_bytes, repeat_bytes, truncate, recode, swap_lines, repeat_line,
    delete_line, empty,
)  # fmt: skip


# ----------------------------------------------------------------------------------------- JSON


def _places(value: Any, depth: int = 0) -> Iterator[tuple[int, Any, Any]]:
    """Yield depth, container and key of everything below a value."""
    inner = value.items() if isinstance(value, dict) else ()
    for key, below in inner or (enumerate(value) if isinstance(value, list) else ()):
        yield depth, value, key
        yield from _places(below, depth + 1)


def _replace(value: Any, key: Any, rng: Rng) -> str:
    value[key] = MARK
    return str(pick(rng, RAW))


def _other_word(value: Any, key: Any, rng: Rng) -> str:
    value[key] = pick(rng, WORDS)
    return ""


def _nearby(value: Any, key: Any, rng: Rng) -> str:
    """Change a number a little, or a character of a text."""
    old = value[key]
    if isinstance(old, bool):
        value[key] = not old
    elif isinstance(old, int | float):
        value[key] = old + pick(rng, [-1, 1, 2, -0.5, 0.0])
    elif isinstance(old, str) and old:
        place = int(rng.integers(len(old)))
        value[key] = old[:place] + chr(int(rng.integers(1, 300))) + old[place + 1 :]
    else:
        value[key] = [old]
    return ""


def _delete(value: Any, key: Any, rng: Rng) -> str:
    del value[key]
    return ""


def _add(value: Any, key: Any, rng: Rng) -> str:
    """Add an unknown key, or an item once more."""
    if isinstance(value, list):
        value.insert(key, value[key])
        return ""
    value[pick(rng, WORDS)] = MARK
    return str(pick(rng, RAW))


def _repeat(value: Any, key: Any, rng: Rng) -> str:
    """Write a key twice."""
    if isinstance(value, list):
        return _add(value, key, rng)
    value[MARK] = value[key]
    return json.dumps(key)


def _swap(value: Any, key: Any, rng: Rng) -> str:
    """Exchange two values of an object or a list."""
    other = pick(rng, list(value) if isinstance(value, dict) else range(len(value)))
    value[key], value[other] = value[other], value[key]
    return ""


def _rename(value: Any, key: Any, rng: Rng) -> str:
    if isinstance(value, dict):
        value[pick(rng, [*WORDS, key.upper(), key + "_", *value])] = value.pop(key)
        return ""
    return _delete(value, key, rng)


_JSON: Final = (_replace, _other_word, _nearby, _delete, _add, _repeat, _swap, _rename)


def change_json(content: bytes, rng: Rng) -> bytes:
    """Change a value, a key or an item of JSON text."""
    try:
        root = [json.loads(content)]
        places = list(_places(root))
    except (ValueError, RecursionError):  # already damaged
        return flip_bits(content, rng)
    upper = [place for place in places if place[0] <= NEAR]
    _, value, key = pick(rng, upper if rng.random() < UPPER else places)
    raw = pick(rng, _JSON)(value, key, rng)
    text = json.dumps(root[0] if root else MARK)
    return text.replace(json.dumps(MARK), raw or "null", 1).encode()


def change_json_line(content: bytes, rng: Rng) -> bytes:
    """Change one line of JSON lines, often the first or the last."""
    lines = content.splitlines() or [b""]
    number = pick(rng, [0, -1, int(rng.integers(len(lines))), int(rng.integers(len(lines)))])
    lines[number] = change_json(lines[number], rng) if lines[number] else b"{}"
    return b"\n".join([*lines, b""])


# ----------------------------------------------------------------------------------------- TOML

_VALUE: Final = re.compile(rb'-?\d+|"[^"\n]*"|true|false')
_KEY: Final = re.compile(rb"[a-z_]+(?= *=)")
TOML: Final = (
    b"0", b"1", b"-1", b"2", b"3", b"9", b"127", b"128", b"1000", b"9223372036854775807",
    b"9223372036854775808", b"1" * 5000, b"nan", b"inf", b"-inf", b"1e999", b"0.5", b"true",
    b"false", b'""', b'"x"', b"[]", b"{}", b"[[[]]]", b"[" * DEEP, b"{a=" * 2000, b"2020-01-01",
    b"1979-05-27T07:32:00Z", b"0x7f", b"'''a\nb'''", b'"\\u001b[31m"', b'"\\ud800"', b'"\\u0000"',
    b"[1, 2]", b'["x", 1]', b"{ a = 1 }", b'"' + b"x" * 5000 + b'"',
)  # fmt: skip
TABLES: Final = (b"\n[new]\na = 1\n", b"\n[[new]]\n", b"\nnew = 1\n", b"\n[a.b.c]\n", b"\n= 1\n")


def change_toml(content: bytes, rng: Rng) -> bytes:
    """Change a value or a key of TOML text, or add a table."""
    how = int(rng.integers(6))
    pattern = _KEY if how == 0 else _VALUE
    found = list(pattern.finditer(content))
    if how == 1 or not found:
        place = content.find(b"\n", int(rng.integers(len(content) + 1)))
        return content[:place] + bytes(pick(rng, TABLES)) + content[place:]
    old = pick(rng, found)
    new = pick(rng, found)[0] if how in {0, 2, 3} else pick(rng, TOML)
    return content[: old.start()] + bytes(new) + content[old.end() :]


# -------------------------------------------------------------------------------------- tensors

NUMBERS: Final = (
    np.nan, np.inf, -np.inf, 3e38, -3e38, 1e20, -1e20, 1e9, -1e10, 1e-45, 0.0, -1.0, 1e4,
)  # fmt: skip


def change_tensors(content: bytes, rng: Rng) -> bytes:
    """Change the header of a safetensors file, keeping its length right, or some numbers."""
    length = int.from_bytes(content[:8], "little")
    header, data = content[8 : 8 + length], content[8 + length :]
    if rng.random() < UPPER or len(data) < WORD:
        header = change_json(header, rng)
    else:
        numbers = np.frombuffer(data[: len(data) // WORD * WORD], "<f4").copy()
        many = 1 if rng.random() < UPPER else int(rng.integers(numbers.size)) + 1
        numbers[rng.integers(numbers.size, size=many)] = pick(rng, NUMBERS)
        data = numbers.tobytes()
    return len(header).to_bytes(8, "little") + header + data


def stamp(weights: Path, description: Path) -> None:
    """Write the digest of weights into their description, if that can be read."""
    try:
        about = json.loads(description.read_text())
        about["sha256"] = hashlib.sha256(weights.read_bytes()).hexdigest()
    except (ValueError, TypeError, OSError, RecursionError):
        return
    description.write_text(json.dumps(about))


# ---------------------------------------------------------------------------------------- files

STRUCTURED: Final[dict[str, Change]] = {
    ".json": change_json,
    ".jsonl": change_json_line,
    ".toml": change_toml,
    ".safetensors": change_tensors,
}
SPECIALS: Final[dict[str, Callable[[Path], None]]] = {
    "no file": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to its folder": lambda path: path.symlink_to("."),
}
"""What can be in the place of a file."""


def change(content: bytes, suffix: str, rng: Rng) -> tuple[bytes, str]:
    """Return other content, and the name of the change."""
    for _ in range(20):
        structured = STRUCTURED.get(suffix)
        function = pick(rng, PLAIN) if structured is None or rng.random() < 1 / 3 else structured
        new = function(content, rng) if content else insert_bytes(b"\n", rng)
        if new != content:
            break
    return new, function.__name__


def mutate(path: Path, rng: Rng) -> str:
    """Damage a file and return how: once, sometimes two or three times."""
    if rng.random() < SPECIAL:
        name = pick(rng, list(SPECIALS))
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        SPECIALS[name](path)
        return str(name)
    content, says = path.read_bytes(), []
    for _ in range(int(rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05]))):
        content, how = change(content, path.suffix, rng)
        says.append(how)
    path.write_bytes(content)
    description = path.with_name("checkpoint.json")
    if path.suffix == ".safetensors" and rng.random() < STAMPED:
        stamp(path, description)
        says.append("with its digest")
    return ", ".join(says)
