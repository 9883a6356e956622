import type { Api } from '../api/api.js';
import type { Installation } from '../api/installation.js';

export interface Option {
  /** What stands behind it; absent: it is a flag. */
  value?: string;
  help: string;
}

/** What a command is run with, and where it says what it found. */
export interface Call {
  arguments: string[];
  /** Of an option that takes a value. */
  value(name: string): string | undefined;
  flag(name: string): boolean;
  json: boolean;
  /** Needs an address and a key, which it looks for when it is first called. */
  api(): Api;
  /** Of `npm start`, where there is one. */
  installation: Installation | null;
  env: NodeJS.ProcessEnv;
  /** One line of the result. */
  say(line: string): void;
  /** The whole result, for programs. */
  tell(value: unknown): void;
  /** One line that is no part of the result. */
  note(line: string): void;
}

/** Its help, its options and its reference are made of this. */
export interface Command {
  /** One or two words: `events show`. */
  name: string;
  summary: string;
  /** `<id>`; in brackets what may be left out. */
  arguments?: string;
  options?: Record<string, Option>;
  /** The scopes of the key; absent: it calls no API with a key. */
  scopes?: string;
  examples: string[];
  /** What is not obvious: a sentence each. */
  notes?: string[];
  /** @returns the exit code @throws CliError */
  run(call: Call): Promise<number>;
}
