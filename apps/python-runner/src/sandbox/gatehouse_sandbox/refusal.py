from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Refusal:
    """One reason why a source is no tool. Lines and columns count from 1."""

    line: int
    column: int
    message: str
    code: str

    def as_json(self):
        return asdict(self)


def refusal_at(node, code, message):
    return Refusal(node.lineno, node.col_offset + 1, message, code)
