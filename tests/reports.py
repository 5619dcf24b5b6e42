"""Nine accident reports of our own making, alike enough that a question about one of them has to be found among all."""

from __future__ import annotations

from dataclasses import dataclass

from tests.builders import pdf


@dataclass(frozen=True)
class Report:
    """One accident; the page that names the aircraft is the second."""

    number: str
    aircraft: str
    registration: str
    place: str
    event: str
    injuries: str
    weather: str
    cause: str

    @property
    def file_name(self) -> str:
        return f"{self.number}.pdf"

    @property
    def sentence(self) -> str:
        """The sentence that holds the answer to `QUESTION`."""
        return f"The registration of the {self.aircraft} was {self.registration}."

    def file(self) -> bytes:
        """Return the report as a PDF of three pages."""
        return pdf(
            [
                ("Aircraft accident report", 16),
                "",
                f"Report number: {self.number}",
                f"Place: {self.place}",
                "Kind of flight: private",
            ],
            [
                ("History of the flight", 13),
                "",
                f"A {self.aircraft} {self.event} in {self.place}.",
                self.sentence,
                self.injuries,
            ],
            [
                ("Conditions and cause", 13),
                "",
                f"Weather: {self.weather}.",
                f"Probable cause: {self.cause}.",
            ],
        )


PIPER = Report(
    "LK08-004",
    "Piper PA-28-180",
    "N7318Q",
    "Millbrook",
    "hit trees after a loss of engine power",
    "The pilot was seriously injured.",
    "mist, light wind from the north",
    "fuel exhaustion because the tanks were not checked before the flight",
)

REPORTS = (
    Report(
        "LK08-001",
        "Cessna 172M",
        "N4410R",
        "Ashford",
        "left the runway while landing",
        "Nobody was injured.",
        "clear, gusts up to 24 knots from the side",
        "the pilot's inadequate correction for the crosswind",
    ),
    Report(
        "LK08-002",
        "Beech 36",
        "N228ML",
        "Corwen",
        "landed with its wheels up",
        "Nobody was injured.",
        "clear, calm",
        "the pilot's failure to lower the landing gear",
    ),
    Report(
        "LK08-003",
        "Mooney M20J",
        "N57TD",
        "Dunmore",
        "struck a fence after an aborted takeoff",
        "One passenger was slightly injured.",
        "hot, light wind",
        "the late decision to abort the takeoff",
    ),
    PIPER,
    Report(
        "LK08-005",
        "Piper J-3C",
        "N6155H",
        "Fairhaven",
        "nosed over on soft ground",
        "Nobody was injured.",
        "clear after a night of rain",
        "heavy braking on soft ground",
    ),
    Report(
        "LK08-006",
        "Cessna 150L",
        "N9082G",
        "Glenrock",
        "made a forced landing on a road",
        "Nobody was injured.",
        "near freezing, high humidity",
        "carburetor ice",
    ),
    Report(
        "LK08-007",
        "Robinson R22",
        "N831SH",
        "Hartley",
        "rolled over during a hover",
        "The student was slightly injured.",
        "clear, light wind",
        "the student's loss of control and the instructor's late help",
    ),
    Report(
        "LK08-008",
        "Grumman AA-5",
        "N1479L",
        "Inverness",
        "collided with a deer on the runway",
        "Nobody was injured.",
        "dark night, clear",
        "an animal on the runway that could not be seen in time",
    ),
    Report(
        "LK08-009",
        "Bellanca 8KCAB",
        "N36PW",
        "Jasper",
        "lost a wheel while taxiing",
        "Nobody was injured.",
        "clear",
        "fatigue of the axle bolts",
    ),
)

QUESTION = "What was the registration of the Piper that hit trees in Millbrook?"
