"""Questions about documents that were read ahead: answered from what was learned, and from the text when it counts."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from inference.fake import FakeAnswer, FakeEngine
from projects.answering.events import Text
from projects.answering.pipeline import answer
from projects.answering.turns import Wishes, open_turn
from projects.intake.service import retry_document
from projects.models import Conversation, Document, Project, Turn
from projects.presentation.turns import render_turn
from study.models import DocumentSummary
from study.prompts import document_boundary
from study.service import document_changed
from tests.projects.factories import add_read, make_project
from tests.study.factories import a_reader

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = "Lease between Anna Weber and Otto Braun. The monthly rent is 900 euros."
LETTER = "Letter of Dana Gray to the Hill Insurance about water damage in the cellar. The claim number is HX-4711."


@pytest.fixture
def conversation(fake_inference: FakeEngine) -> Conversation:
    """Two documents, read ahead."""
    project = make_project()
    add(project, "lease.txt", LEASE)
    add(project, "letter.txt", LETTER)
    fake_inference.answers += ["A lease of Anna Weber.", "A letter about water damage."]
    fake_inference.default = "A lease [1] and a letter [2]."
    a_reader().run()
    fake_inference.requests.clear()
    return Conversation.objects.create(project=project)


OVERVIEW = [
    "A lease [1] and a letter [2].",
    "",
    "- lease.txt: A lease of Anna Weber. [1]",
    "- letter.txt: A letter about water damage. [2]",
]


def yes_with(chance: float) -> FakeAnswer:
    """Return an answer whose first token was that likely."""
    return FakeAnswer("Yes", chances=({"Yes": chance, "No": 1 - chance},))


def add(project: Project, name: str, text: str) -> None:
    """Add a document, and tell the study of it."""
    document_changed(add_read(project, name, text).pk)


async def put(conversation: Conversation, question: str, **wishes: Any) -> tuple[Turn, str]:
    """Ask, and return the stored turn with what was shown while it came."""
    turn = await sync_to_async(open_turn)(conversation, question, Wishes(**wishes))
    shown = "".join([event.text async for event in answer(turn.pk) if isinstance(event, Text)])
    return await sync_to_async(Turn.objects.get)(pk=turn.pk), shown


async def test_an_opening_question_is_answered_without_asking_the_model(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    turn, shown = await put(conversation, "what are these documents about")
    assert (turn.state, turn.lane, turn.from_cache) == ("done", "digest", True)
    assert shown.splitlines() == OVERVIEW
    assert fake_inference.requests == []


async def test_an_overview_in_other_words_is_what_was_prepared_with_a_line_on_each(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    turn, _ = await put(conversation, "i've got five minutes, what's in this pile of files")
    # The marks of the prepared sentence support too little of it to be kept; those of the lines hold.
    assert turn.answer.splitlines() == ["A lease and a letter.", *OVERVIEW[1:]]
    assert [(c.document.name, c.quote) async for c in turn.citations.select_related("document")] == [
        ("lease.txt", ""),
        ("letter.txt", ""),
    ]
    assert "could be traced" not in await sync_to_async(render_turn)(turn.pk)
    assert fake_inference.requests == []


async def test_an_overview_in_another_language_is_written_in_it(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("Ein Mietvertrag [1] und ein Brief [2].")
    turn, _ = await put(conversation, "Worum geht es in diesen Unterlagen?")
    assert (turn.lane, turn.answer) == ("digest", "Ein Mietvertrag und ein Brief.")


async def test_what_is_most_frequent_is_concluded_from_what_each_of_them_says(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers += ["Anna Weber", "Dana Gray", "Each is named once, and 17 more."]
    turn, _ = await put(conversation, "Who is mentioned most often here?")
    assert turn.lane == "deep"
    assert turn.answer.splitlines() == [
        "2 of 2 documents:",
        "- lease.txt (A lease of Anna Weber.): Anna Weber [1]",
        "- letter.txt (A letter about water damage.): Dana Gray [2]",
    ]
    fake_inference.answers += ["Anna Weber", "Dana Gray", "A woman is named in both."]
    turn, _ = await put(conversation, "Who is mentioned most often here?", fresh=True)
    assert turn.answer.splitlines()[0] == "A woman is named in both."
    assert "Dana Gray" in fake_inference.requests[-1].messages[1].text


async def test_asked_afresh_it_goes_to_the_model_behind_the_digest(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    turn, _ = await put(conversation, "What are these documents about?", fresh=True)
    assert (turn.lane, turn.from_cache) == ("digest", False)
    assert "A letter about water damage." in fake_inference.requests[0].messages[1].text


async def test_an_overview_is_answered_while_one_of_the_documents_is_read_again(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    document = await Document.objects.aget(name="lease.txt")
    assert await sync_to_async(retry_document)(document)
    turn, _ = await put(conversation, "What are these documents about?", fresh=True)
    assert (turn.state, turn.lane, turn.error) == ("done", "digest", "")


async def test_an_overview_cites_documents_and_quotes_nothing(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("There is a letter about water damage [2].")
    turn, _ = await put(conversation, "Give me an overview", fresh=True)
    cited = [(c.number, c.document.name, c.quote) async for c in turn.citations.select_related("document")]
    assert cited == [(1, "letter.txt", "")]
    assert "<blockquote>" not in await sync_to_async(render_turn)(turn.pk)


async def test_a_fact_is_asked_of_the_whole_text_of_its_document(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("The claim number is HX-4711 [1].")
    turn, shown = await put(conversation, "What is the claim number of Dana Gray?")
    assert (turn.lane, turn.state) == ("deep", "done")
    assert shown == "The claim number is HX-4711 [1]."
    sent = fake_inference.requests[0].messages[1].text
    assert LETTER in sent
    assert "Lease" not in sent
    citation = await turn.citations.select_related("document").aget()
    assert (citation.document.name, citation.page) == ("letter.txt", None)
    assert citation.quote == "The claim number is HX-4711."


async def test_two_questions_to_one_document_share_all_of_the_prompt_but_themselves(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    for question in ("What is the claim number of Dana Gray?", "Where is the water damage of Dana Gray?"):
        await put(conversation, question)
    first, second = (request.messages for request in fake_inference.requests)
    assert first[0] == second[0]
    assert first[1].parts[:-1] == second[1].parts[:-1]


async def test_what_the_named_document_does_not_say_is_refused_with_the_nearest_passages(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("Quote: NONE\nAnswer: The document does not say.")
    turn, shown = await put(conversation, "What is the phone number of Dana Gray?")
    assert (turn.state, turn.lane) == ("done", "deep")
    assert shown.startswith("The documents do not say.\n\nThe nearest passages:\n- letter.txt: “")
    assert shown == turn.answer
    citation = await turn.citations.select_related("document").afirst()
    assert citation is not None
    assert (citation.document.name, citation.quote in LETTER) == ("letter.txt", True)


async def test_the_line_that_answers_is_shown_before_the_answer_in_the_documents_own_words(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("Quote: claim number is hx-4711\nAnswer: It is HX-4711. It was paid on 3 May 2019.")
    turn, shown = await put(conversation, "What is the claim number of Dana Gray?")
    assert turn.answer == "“The claim number is HX-4711.” [1]\n\nIt is HX-4711. [1]"
    assert "2019" not in shown  # the sentence goes at the end; its figure was never to be seen
    assert [citation.quote async for citation in turn.citations.all()] == ["The claim number is HX-4711."]


async def test_a_question_after_each_document_asks_each_of_them(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers += [yes_with(0.8), yes_with(0.6), "Quote: The monthly rent is 900 euros."]
    turn, _ = await put(conversation, "Which of these documents agree on a rent?")
    assert (turn.lane, len(fake_inference.requests)) == ("deep", 3)
    assert turn.answer.splitlines() == [
        "1 of 2 documents:",
        "- lease.txt: A lease of Anna Weber. “The monthly rent is 900 euros.” [1]",
    ]


async def test_how_many_there_are_is_counted_and_not_guessed(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    turn, _ = await put(conversation, "How many documents are there altogether?")
    assert turn.answer.splitlines() == ["There are 2 documents:", "- lease.txt [1]", "- letter.txt [2]"]
    assert [c.document.name async for c in turn.citations.select_related("document")] == ["lease.txt", "letter.txt"]
    assert "could be traced" not in await sync_to_async(render_turn)(turn.pk)
    assert fake_inference.requests == []


def unread(text: str) -> Conversation:
    """Return a conversation about a letter that nobody has read ahead."""
    project = make_project()
    add(project, "letter.txt", text)
    return Conversation.objects.create(project=project)


async def test_a_short_document_is_read_as_a_whole_by_the_first_question_and_remembered_from_then_on(
    fake_inference: FakeEngine,
) -> None:
    conversation = await sync_to_async(unread)(LETTER)
    fake_inference.answers += ["The claim number is HX-4711 [1].", "About water damage [1]."]
    turn, _ = await put(conversation, "What is the claim number of Dana Gray?")
    assert (turn.lane, "takes no longer than passages" in turn.lane_reason) == ("deep", True)
    kept = [document_boundary(await Document.objects.values_list("pk", flat=True).aget())]
    assert list(fake_inference.requests[0].save) == kept
    turn, _ = await put(conversation, "Where is the water damage of Dana Gray?")
    assert (turn.lane, "was read before" in turn.lane_reason) == ("deep", True)
    assert fake_inference.requests[1].save == ()
    await sync_to_async(a_reader().run)()
    assert await DocumentSummary.objects.aexists(), "the study goes on from there"


async def test_before_anything_is_read_ahead_an_overview_is_told_from_what_rules_found(
    fake_inference: FakeEngine,
) -> None:
    conversation = await sync_to_async(unread)("INVOICE No. 2019-17\nDate: 3 May 2019\nTotal: EUR 410.00\n")
    turn, _ = await put(conversation, "What are these documents about?")
    assert (turn.lane, turn.answer.splitlines()[0]) == ("digest", "There is one document:")
    assert "2019-17" in turn.answer
    assert "nothing is read ahead yet" in turn.lane_reason
    assert fake_inference.requests == []


async def test_a_long_document_that_was_not_read_ahead_is_looked_up_in_passages(fake_inference: FakeEngine) -> None:
    conversation = await sync_to_async(unread)(LETTER)
    await Document.objects.aupdate(tokens=100_000)
    turn, _ = await put(conversation, "What is the claim number of Dana Gray?")
    assert turn.lane == "passages"
    assert "not read ahead yet" in turn.lane_reason
    assert fake_inference.requests[0].save == ()


async def test_a_text_that_has_changed_since_an_answer_read_it_is_not_remembered(fake_inference: FakeEngine) -> None:
    conversation = await sync_to_async(unread)(LETTER)
    await put(conversation, "What is the claim number of Dana Gray?")
    await Document.objects.aupdate(text_key="another")
    turn, _ = await put(conversation, "Where is the water damage of Dana Gray?")
    assert "was read before" not in turn.lane_reason


async def test_a_question_that_leans_on_the_last_one_is_put_with_it(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers += ["The claim number is HX-4711 [1].", "To the Hill Insurance [1]."]
    await put(conversation, "What is the claim number of Dana Gray?")
    turn, _ = await put(conversation, "To whom was it sent?")
    assert turn.lane == "deep"
    sent = fake_inference.requests[1].messages[1].text
    assert sent.index(LETTER) < sent.index("Earlier question: What is the claim number") < sent.index("To whom was it")


async def test_a_quote_far_from_the_question_is_believed_only_if_the_model_is_sure_of_it(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    told = "Quote: The claim number is HX-4711.\nAnswer: Her insurer."
    fake_inference.answers += [told, yes_with(0.9)]
    turn, _ = await put(conversation, "Who insures Dana Gray?")
    assert turn.answer.startswith("“The claim number is HX-4711.” [1]")
    fake_inference.answers += [told, yes_with(0.2), yes_with(0.2)]
    turn, shown = await put(conversation, "Who insures Dana Gray?", fresh=True)
    assert turn.answer.startswith("The documents do not say.")
    assert shown == turn.answer  # nothing of the doubtful answer was to be seen


async def test_where_no_line_was_found_the_model_is_asked_again_with_the_lines_that_come_nearest(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    second = "Quote: NONE\nAnswer: Its number is HX-4711."
    fake_inference.answers += ["Quote: NONE\nAnswer: NONE", yes_with(0.7), second, yes_with(0.6)]
    turn, shown = await put(conversation, "How does Dana Gray's insurer file the case?")
    assert turn.answer == shown == "“The claim number is HX-4711.” [1]\n\nIts number is HX-4711. [1]"
    asked = fake_inference.requests[2].messages[1].parts
    assert asked[:-1] == fake_inference.requests[0].messages[1].parts[:-1]  # the text is not read again
    assert asked[-1].text.startswith("Lines of the document that may matter:\n- Letter of Dana Gray")


async def test_a_second_look_that_the_model_is_not_sure_of_ends_in_a_refusal(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    second = "Quote: The claim number is HX-4711.\nAnswer: It is HX-4711."
    fake_inference.answers += ["Quote: NONE\nAnswer: NONE", yes_with(0.6), second, yes_with(0.5)]
    turn, shown = await put(conversation, "How does Dana Gray's insurer file the case?")
    assert turn.answer.startswith("The documents do not say.")
    assert "It is HX-4711" not in shown


async def test_a_reply_without_a_line_whose_every_figure_is_invented_is_no_answer(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers += ["The claim number of Dana Gray is 5521.", yes_with(0.1)]
    turn, _ = await put(conversation, "What is the claim number of Dana Gray?")
    assert (turn.state, turn.answer.startswith("The documents do not say.")) == ("done", True)
    assert "HX-4711" in turn.answer, "the line that comes nearest is named"
    assert "5521" not in turn.answer


async def test_a_full_reading_shows_every_line_that_belongs_once_and_none_that_is_not_there(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers.append("The claim number is HX-4711.\nThe claim number is HX-4711.\nThe claim is lost.")
    turn, shown = await put(conversation, "Read the whole letter of Dana Gray and list every number")
    assert turn.lane == "deep"
    assert shown.strip() == turn.answer == "- The claim number is HX-4711. [1]"


async def test_one_thing_of_each_document_is_told_with_its_line(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.answers += ["Anna Weber", "Jonas Reed"]
    turn, _ = await put(conversation, "Who is named first in each of these documents?")
    assert turn.answer.splitlines() == ["1 of 2 documents:", "- lease.txt (A lease of Anna Weber.): Anna Weber [1]"]


async def test_a_document_that_the_window_does_not_hold_in_one_piece_is_not_read_again_for_a_fact(
    conversation: Conversation, fake_inference: FakeEngine
) -> None:
    await DocumentSummary.objects.filter(document__name="letter.txt").aupdate(tokens=fake_inference.window)
    await Document.objects.filter(name="letter.txt").aupdate(tokens=fake_inference.window)
    turn, _ = await put(conversation, "What is the claim number of Dana Gray?")
    assert turn.lane == "passages"
    assert "not read ahead yet" in turn.lane_reason
