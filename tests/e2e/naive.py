# SPDX-License-Identifier: MIT
"""Questions about people, answered by looking at everybody: an oracle that shares no code with Beckon.

A question is a tree of terms; it can be asked of a person, and written in either query language. Only what the
tests ask for is here.
"""
import math
import unicodedata


def fold(text):
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(c for c in plain if unicodedata.category(c) != "Mn").split())


def values(person, name):
    """What may be searched for, as a list; private attributes are as good as absent."""
    if name not in person or person.get("visibility", {}).get(name) == "private":
        return []
    value = person[name]
    return value if isinstance(value, list) else [value]


def bounds(value):
    if isinstance(value, dict):
        return value["min"], value["max"]
    return value, value


def hours(text):
    low, high = (int(part) for part in text.split(".."))
    return {hour % 24 for hour in range(low, (high if high >= low else high + 24) + 1)}


def split_number(text):
    """'EC-315' -> ('ec-', 315)"""
    at = len(text)
    while at > 0 and text[at - 1].isdigit():
        at -= 1
    return fold(text[:at]), int(text[at:])


def metres(a, b):
    """Great circle; within 0.6 % of the ellipsoid."""
    (lat1, lon1), (lat2, lon2) = [[math.radians(x) for x in p] for p in (a, b)]
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(h))


class Text:
    """One of the items is among the values; with every=True all are."""

    def __init__(self, name, items, every=False):
        self.name, self.items, self.every = name, items, every

    def holds(self, person):
        have = {fold(v) for v in values(person, self.name)}
        return (all if self.every else any)(fold(item) in have for item in self.items)

    def friendly(self):
        return f"{self.name}{':' if self.every else ''}=" + ",".join(f'"{item}"' for item in self.items)

    def ldap(self):
        escape = lambda text: "".join(f"\\{ord(c):02x}" if c in "()*\\" else c for c in text)
        parts = "".join(f"({self.name}={escape(item)})" for item in self.items)
        return parts if len(self.items) == 1 else f"({'&' if self.every else '|'}{parts})"


class Starts:
    def __init__(self, name, start):
        self.name, self.start = name, start

    def holds(self, person):
        return any(fold(v).startswith(fold(self.start)) for v in values(person, self.name))

    def friendly(self):
        return f'{self.name}~="{self.start}"'

    def ldap(self):
        return f"({self.name}={self.start}*)"


class Range:
    def __init__(self, name, low, high):
        self.name, self.low, self.high = name, low, high

    def holds(self, person):
        for value in values(person, self.name):
            low, high = bounds(value)
            if low <= self.high and self.low <= high:
                return True
        return False

    def friendly(self):
        return f"{self.name}={self.low}..{self.high}"

    def ldap(self):
        return f"({self.name}={self.low}..{self.high})"


class Hours:
    def __init__(self, text, covers):
        self.text, self.covers = text, covers

    def holds(self, person):
        asked = hours(self.text)
        have = [hours(v) for v in values(person, "hours")]
        return any(asked <= h if self.covers else asked & h for h in have)

    def friendly(self):
        return f"hours{':' if self.covers else ''}={self.text}"

    def ldap(self):
        return f"(hours{':' if self.covers else ''}={self.text})"


class Numbered:
    """room=EC-300..399"""

    def __init__(self, name, start, low, high):
        self.name, self.start, self.low, self.high = name, start, low, high

    def holds(self, person):
        parts = [split_number(v) for v in values(person, self.name)]
        return any(start == fold(self.start) and self.low <= number <= self.high for start, number in parts)

    def friendly(self):
        return f"{self.name}={self.start}{self.low}..{self.high}"

    def ldap(self):
        return f"({self.friendly()})"


class Near:
    """The radius must not pass close to anybody: see clear_radius."""

    def __init__(self, place, radius):
        self.place, self.radius = place, radius

    @staticmethod
    def distance(person, place):
        latitude, longitude = values(person, "latitude"), values(person, "longitude")
        return metres((latitude[0], longitude[0]), place) if latitude and longitude else math.inf

    @staticmethod
    def clear_radius(people, place, radius):
        """The next radius that nobody is within 2 % of."""
        distances = [Near.distance(person, place) for person in people]
        while any(abs(d - radius) < 0.02 * radius for d in distances):
            radius = int(radius * 1.05) + 1
        return radius

    def holds(self, person):
        return Near.distance(person, self.place) <= self.radius

    def friendly(self):
        return f"near={self.place[0]},{self.place[1]},{self.radius}m"


class Has:
    def __init__(self, name):
        self.name = name

    def holds(self, person):
        return bool(values(person, self.name))

    def friendly(self):
        return f"has={self.name}"

    def ldap(self):
        return f"({self.name}=*)"


class Not:
    def __init__(self, term):
        self.term = term

    def holds(self, person):
        return not self.term.holds(person)

    def friendly(self):
        return "!" + self.term.friendly()

    def ldap(self):
        return f"(!{self.term.ldap()})"


class All:
    def __init__(self, *terms):
        self.terms = terms

    def holds(self, person):
        return all(term.holds(person) for term in self.terms)

    def friendly(self):
        return " ".join(term.friendly() for term in self.terms)

    def ldap(self):
        return "(&" + "".join(term.ldap() for term in self.terms) + ")"


class Any(All):
    def holds(self, person):
        return any(term.holds(person) for term in self.terms)

    def friendly(self):
        return "|".join(term.friendly() for term in self.terms)

    def ldap(self):
        return "(|" + "".join(term.ldap() for term in self.terms) + ")"


def some_question(rng, people):
    """One that at least its model, somebody of the people, is likely to answer."""
    model = rng.choice(people)
    makers = [text_term, text_term, text_term, range_term, range_term, other_term, place_term]
    terms = []
    while not terms:
        terms = [t for t in (rng.choice(makers)(rng, people, model) for _ in range(rng.randint(1, 4))) if t]
    if rng.random() < 0.3:
        terms.append(Not(Text("hobby", [rng.choice(["go", "cello", "sailing"])])))
    if rng.random() < 0.15:
        terms.append(Has(rng.choice(["sip", "org", "x-team"])))
    if all(isinstance(term, (Not, Has)) for term in terms):
        terms.append(Text("city", [model["city"]]))
    return All(*terms)


def text_term(rng, people, model):
    name = rng.choice(["hobby", "hobby", "vocation", "city", "lang", "skill", "org", "university", "x-team"])
    have = values(model, name)
    if not have:
        return None
    items = [rng.choice(have)]
    every = name in ("hobby", "skill") and len(have) > 1 and rng.random() < 0.3
    if every:
        items = rng.sample(have, 2)
    elif rng.random() < 0.3:
        items += values(rng.choice(people), name)[:1]
    return Text(name, [item.upper() if rng.random() < 0.3 else item for item in items], every)


def range_term(rng, people, model):
    name, width = rng.choice([("age", 10), ("age", 3), ("year", 8), ("income", 40000)])
    have = values(model, name)
    if not have:
        return None
    low = bounds(have[0])[0] - rng.randint(0, width)
    return Range(name, max(low, 1), max(low, 1) + width)


def other_term(rng, people, model):
    kind = rng.choice(["room", "course", "hours", "starts"])
    if kind == "starts":
        return Starts("name", model["name"][:3])
    have = values(model, kind)
    if not have:
        return None
    if kind == "hours":
        return Hours(rng.choice(["10..16", "22..2", "7..9", "18..20"]), rng.random() < 0.5)
    start, number = split_number(have[0])
    return Numbered(kind, start, number // 100 * 100, number // 100 * 100 + 99)


def place_term(rng, people, model):
    if not values(model, "latitude"):
        return None
    place = (round(model["latitude"], 2), round(model["longitude"], 2))
    return Near(place, Near.clear_radius(people, place, rng.choice([2000, 5000, 20000])))
