"""Clinical noise: what typing in a hurry does to a query, at configured rates."""

import unicodedata

import numpy as np

from clinbench.coding.lexicon.compose import pick

# Function words that hurried notes leave out.
_DROPPED = {
    "en": "of the",
    "es": "de del la el los las",
    "ca": "de del la el els les",
    "it": "di del della dello dei delle",
    "pt": "de do da dos das",
    "fr": "de du des la le les",
}
DROPPED = {lang: frozenset(words.split()) for lang, words in _DROPPED.items()}
# Keys beside each other on keyboards of these languages, for substitutions.
NEIGHBOURS = {
    key: row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for at, key in enumerate(row)
}
SHORTEST = 5  # letters of a word that a typo may hit
RATES = ("abbreviations", "word_order", "telegraphic", "accents", "typos", "case")


def add_noise(
    text: str, lang: str, rates: dict[str, float], rng: np.random.Generator
) -> tuple[str, list[str]]:
    """Return the text with noise drawn at the rates, and the names of what was applied.

    ``telegraphic`` leaves out articles and prepositions, ``accents`` drops all accents (ñ stays), ``typos``
    spoils one letter of one longer word, ``case`` writes capitals or one capital at the front.
    """
    steps = {
        "telegraphic": lambda text: telegraphic(text, lang),
        "accents": without_accents,
        "typos": lambda text: with_typo(text, rng),
        "case": lambda text: text.upper() if rng.random() < 0.5 else text[:1].upper() + text[1:],
    }
    applied = []
    for name, step in steps.items():
        if rng.random() < rates[name]:
            changed = step(text)
            if changed != text:
                applied.append(name)
            text = changed
    return text, applied


def telegraphic(text: str, lang: str) -> str:
    """Leave out function words.

    Example:
        >>> telegraphic("fractura de la rótula", "es")
        'fractura rótula'
    """
    first, *rest = text.split()
    return " ".join([first, *(word for word in rest if word.lower() not in DROPPED[lang])])


def without_accents(text: str) -> str:
    """Drop accents and cedillas but keep ñ, as most keyboards of Spanish wards write.

    Example:
        >>> without_accents("otitis crónica del niño")
        'otitis cronica del niño'
    """
    parts = unicodedata.normalize("NFC", text).replace("Ñ", "ñ\0").split("ñ")
    bare = (
        "".join(c for c in unicodedata.normalize("NFD", part) if not unicodedata.combining(c))
        for part in parts
    )
    return "ñ".join(bare).replace("ñ\0", "Ñ")


def with_typo(text: str, rng: np.random.Generator) -> str:
    """Spoil one letter inside one word: swapped, lost, doubled or the key beside it."""
    words = text.split(" ")
    hit = [at for at, word in enumerate(words) if len(word) >= SHORTEST and word.isalpha()]
    if not hit:
        return text
    at = pick(hit, rng)
    word, place = words[at], int(rng.integers(1, len(words[at]) - 1))
    letter = word[place]
    choices = [word[:place] + word[place + 1 :], word[:place] + letter + word[place:]]
    if word[place + 1] != letter:
        choices.append(word[:place] + word[place + 1] + letter + word[place + 2 :])
    if letter in NEIGHBOURS:
        choices.append(word[:place] + pick(NEIGHBOURS[letter], rng) + word[place + 1 :])
    words[at] = pick(choices, rng)
    return " ".join(words)
