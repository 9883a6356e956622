/** Exit codes of the process; documented in docs/cli.md. */
export const exits = {
  done: 0,
  /** The command got its answer, and the answer is that something is wrong. */
  unwell: 1,
  /** The command is not valid as written. */
  usage: 2,
  /** The API refused the request. Nothing was done. */
  refused: 3,
  /** No answer, or a server error. */
  unavailable: 4,
} as const;

/** What went wrong, where, and what to do; each a sentence for people. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly exit: number,
    message: string,
    readonly where: string,
    readonly toDo: string,
    /** For programs, with `--json`. */
    readonly code: string,
  ) {
    super(message);
  }
}

export const usageError = (message: string, where: string): CliError =>
  new CliError(exits.usage, message, where, 'See gatehouse help.', 'usage');
