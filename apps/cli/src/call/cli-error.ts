/** What the process ends with; documented in docs/cli.md. */
export const exits = {
  done: 0,
  /** Asked and answered: what was asked about is not well. */
  unwell: 1,
  /** The command cannot be run as it is written. */
  usage: 2,
  /** The API said no: nothing was done. */
  refused: 3,
  /** No answer, or an answer that is a failure of the server. */
  unavailable: 4,
} as const;

/** What went wrong, where, and what to do: each a sentence for people. */
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
