"""The check of a text layer: garbled ones are found, and text in any language, numbers and codes are let pass."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import quality
from projects.intake.extract.quality import agree, is_garbled, replaced

ENGLISH = (
    "The tenant shall pay the monthly rent of nine hundred euros on the first working day of every month to the "
    "account that the landlord has named in writing before the lease begins and shall inform him of any delay."
)
SOUND = {
    "english": ENGLISH,
    "capitals": ENGLISH.upper(),
    "german": (
        "Rechtsstreitigkeiten aus diesem Wirtschaftsvertrag entscheidet das Amtsgericht, und "
        "Zahlungsschwierigkeiten zeigt die Mieterin der Vermieterin unverzüglich schriftlich an. Schiedssprüche "
        "werden nicht vollstreckt; die Nachfrist für Schönheitsreparaturen beträgt vierzehn Tage nach Zugang der "
        "Aufforderung durch die Hausverwaltung."
    ),
    "french": (
        "Le locataire verse le loyer mensuel de neuf cents euros le premier jour ouvrable de chaque mois sur le "
        "compte que le bailleur a désigné par écrit avant le début du bail, et l'informe de tout retard sans y "
        "être invité."
    ),
    "czech": (
        "Nájemce platí měsíční nájemné ve výši devět set eur první pracovní den každého měsíce na účet, který "
        "pronajímatel písemně oznámil před začátkem nájmu. Strč prst skrz krk. Smlouvu lze vypovědět čtvrt roku "
        "předem, není-li jinak."
    ),
    "welsh": (
        "Bydd y tenant yn talu rhent misol o naw cant ewro ar ddiwrnod gwaith cyntaf bob mis i'r cyfrif y mae'r "
        "landlord wedi'i enwi yn ysgrifenedig cyn i'r brydles ddechrau, a bydd yn rhoi gwybod iddo am unrhyw oedi "
        "heb ofyn am hynny."
    ),
    "turkish": (
        "Kiracı, kira başlamadan önce ev sahibinin yazılı olarak bildirdiği hesaba her ayın ilk iş günü dokuz yüz "
        "avro tutarındaki aylık kirayı öder ve istenmeden her gecikmeyi ona bildirir; ödeme yapılmazsa sözleşme "
        "sona erebilir."
    ),
    "vietnamese": (
        "Bên thuê trả tiền thuê hàng tháng chín trăm euro vào ngày làm việc đầu tiên của mỗi tháng vào tài khoản "
        "mà bên cho thuê đã nêu bằng văn bản trước khi bắt đầu hợp đồng và thông báo ngay cho bên kia về mọi sự "
        "chậm trễ."
    ),
    "russian": (
        "Арендатор ежемесячно платит девятьсот евро в первый рабочий день каждого месяца на счёт, указанный "
        "арендодателем."
    ),
    "greek": (
        "Ο μισθωτής καταβάλλει το μηνιαίο μίσθωμα των εννιακοσίων ευρώ την πρώτη εργάσιμη ημέρα κάθε μήνα στον "
        "λογαριασμό."
    ),
    "arabic": (
        "يدفع المستأجر الإيجار الشهري البالغ تسعمائة يورو في أول يوم عمل من كل شهر إلى الحساب الذي حدده المؤجر كتابة."
    ),
    "hebrew": "השוכר ישלם את דמי השכירות החודשיים בסך תשע מאות אירו ביום העסקים הראשון של כל חודש לחשבון שציין המשכיר.",
    "chinese": "承租人应于每月第一个工作日将九百欧元的月租金汇入出租人以书面形式指定的账户,如有延误应立即通知出租人。",
    "japanese": (
        "借主は毎月の最初の営業日に、貸主が書面で指定した口座へ月額九百ユーロの家賃を支払うものとする。遅れる場合"
        "は連絡する。"
    ),
    "korean": (
        "임차인은 매월 첫 영업일에 임대인이 서면으로 지정한 계좌로 월세 구백 유로를 지급하고 지연되는 경우 즉시 알린다."
    ),
    "thai": ("ผู้เช่าจะต้องชำระค่าเช่ารายเดือนจำนวนเก้าร้อยยูโรในวันทำการแรกของทุกเดือนเข้าบัญชีที่ผู้ให้เช่าแจ้งเป็นลายลักษณ์อักษร"),
    "hindi": ("किरायेदार हर महीने के पहले कार्य दिवस पर नौ सौ यूरो का मासिक किराया मकान मालिक के लिखित खाते में जमा करेगा।"),
    "numbers": "\n".join(f"{number:05d} {number * 1.37:,.2f} {number % 7} € {number}%" for number in range(40)),
    "identifiers": "\n".join(
        f"N{number}SP WDB{number}XK-{number:04x} DE89 3704 0044 {number:04d}" for number in range(40)
    ),
    "names": (
        "Schmidt Schwartz Lynch Hrdlička Vlk Brno Smith Jones Müller Weber Wagner Becker Schulz Hoffmann Koch "
        "Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hartmann Lange Krause Werner "
        "Lehmann Maier"
    ),
    "units": "µm Ωm kΩ 5 µF 10 µm Δt αβ " * 10,
    "bullets": "\n".join(f"\uf0b7 The tenant keeps the rooms clean, item {number}." for number in range(10)),
    "code": "def main(argv):\n    for row in rows:\n        print(row['html'])\nSELECT * FROM tbl WHERE ctx = 1\n" * 4,
}


def shifted(text: str, by: int) -> str:
    """Return what a ToUnicode map gives that is off by some letters."""
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    return text.translate(str.maketrans(lower + upper, lower[by:] + lower[:by] + upper[by:] + upper[:by]))


GARBLED = {
    "private use": "".join(chr(0xE000 + ord(letter)) if letter.isalpha() else letter for letter in ENGLISH),
    "replacement": "�� ������ ����� 900 ���� �� ���",
    "control": "".join(chr(ord(letter) % 26 + 1) if letter.isalpha() else letter for letter in ENGLISH),
    "shifted": shifted(ENGLISH, 3),
    # What fonts without a map give whose glyphs are numbered in the order of ASCII from 3 on: the commonest kind.
    "glyph numbers": "".join(chr(ord(letter) - 29) if letter > " " else letter for letter in ENGLISH),
    "alphabets": (
        "tпδа раσt οf мοnth rеnt нuпdrеd εurοs tепαпt lαпdlоrd shαll рαу thе fιrst wоrkιпg dαу еvеrу mοпth "
        "αссουпt thαt hαs пαmеd wrιtιпg bеfοrе lеαsе bеgιпs αпd"
    ),
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND.keys())
def test_text_that_says_something_is_let_pass(text: str) -> None:
    assert not is_garbled(text)


@pytest.mark.parametrize("text", GARBLED.values(), ids=GARBLED.keys())
def test_text_that_no_page_shows_is_found(text: str) -> None:
    assert is_garbled(text)


@pytest.mark.parametrize(("lost", "garbled"), [(14, False), (15, True)])
def test_fifteen_of_a_hundred_characters_may_be_lost(lost: int, garbled: bool) -> None:
    assert is_garbled("\ue000" * lost + "5" * (100 - lost)) is garbled


@pytest.mark.parametrize(("odd", "garbled"), [(2, False), (3, True)])
def test_three_of_twenty_words_must_be_unpronounceable(odd: int, garbled: bool) -> None:
    assert is_garbled(" ".join(["zkrp"] * odd + ["mola"] * (20 - odd))) is garbled


@pytest.mark.parametrize(("common", "garbled"), [(0, True), (1, True), (2, False)])
def test_common_words_speak_for_a_text(common: int, garbled: bool) -> None:
    assert is_garbled(" ".join(["und"] * common + ["zkrp"] * (80 - common))) is garbled


@pytest.mark.parametrize(("length", "garbled"), [(19, False), (20, True)])
def test_a_stamp_is_not_judged(length: int, garbled: bool) -> None:
    assert is_garbled("\ufffd" * length) is garbled


@given(st.text(alphabet=string.digits + string.punctuation + " \n\t€§°–", max_size=500))
def test_figures_are_never_garbled(text: str) -> None:
    assert not is_garbled(text)


@given(st.lists(st.sampled_from(ENGLISH.split()), max_size=80))
def test_words_of_a_sound_text_are_sound_in_any_order(words: list[str]) -> None:
    assert not is_garbled(" ".join(words))


@given(st.sampled_from([name for name in SOUND if name != "bullets"]), st.sampled_from("\ufffd\ue001\x01\u0378"))
def test_any_text_is_garbled_once_a_third_of_it_is_lost(name: str, lost: str) -> None:
    text = SOUND[name]

    assert is_garbled(text + lost * (quality.visible(text) // 2 + 1))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_judged(one: str, other: str) -> None:
    assert is_garbled(one) in {True, False}
    assert agree(one, other) in {True, False}


def test_a_layer_agrees_with_a_picture_that_shows_its_words() -> None:
    codes = "EDDF LSZH EGLL KJFK KTLH KLAX EDDM LFPG"

    assert agree(codes, "EDDF LSZH EGLL KJFK KTLH KLAX E0DM L F P G")
    assert not agree(shifted(ENGLISH, 3), ENGLISH)


def test_a_picture_without_words_agrees_with_nothing() -> None:
    assert not agree("words", "")


def test_lost_characters_are_counted() -> None:
    assert replaced("M\ufffdller \ufffd") == 2
