import { inspect } from 'node:util';

const redacted = '[redacted]';

/** A value that prints `[redacted]` where it ends up by accident: template strings, JSON, logs, debuggers. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Each call site is a place where a secret leaves, so keep them few. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect.custom](): string {
    return redacted;
  }
}
