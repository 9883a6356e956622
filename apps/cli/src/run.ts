import { terminalJson, terminalText } from '#libs/adapter-sdk';
import { openApi } from './api/api.js';
import { findInstallation } from './api/installation.js';
import { CliError, exits } from './api/cli-error.js';
import type { Call } from './call/command.js';
import { helpOf, overview } from './call/help.js';
import { parse, type Parsed } from './call/parse.js';
import { commands } from './commands.js';

interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** @returns the exit code */
export async function run(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  try {
    const wanted = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
    const parsed = parse(wanted, commands);
    if (!parsed) {
      const asked = args.length === 0 || wanted.includes('--help');
      (asked ? terminal.out : terminal.err)(overview(commands));
      return asked ? exits.done : exits.usage;
    }
    if (parsed.values['help'] === true) {
      terminal.out(helpOf(parsed.command));
      return exits.done;
    }
    return await parsed.command.run(callOf(parsed, env, terminal));
  } catch (error) {
    const { message, where, toDo, code, exit } = error instanceof CliError ? error : unexpected(error, args);
    const answer = { error: { code, message, where, to_do: toDo } };
    terminal.err(
      args.includes('--json')
        ? `${terminalJson(answer)}\n`
        : terminalText(`gatehouse: ${message}\n  where  ${where}\n  to do  ${toDo}\n`),
    );
    return exit;
  }
}

/** For example a file that cannot be written, or an unforeseen error. */
function unexpected(error: unknown, args: string[]): CliError {
  const message = error instanceof Error ? error.message : String(error);
  const toDo = 'Check that what the message names exists and is accessible.';
  return new CliError(exits.usage, message, `gatehouse ${args[0] ?? ''}`, toDo, 'failed');
}

function callOf({ arguments: given, values }: Parsed, env: NodeJS.ProcessEnv, terminal: Terminal): Call {
  const value = (name: string): string | undefined => {
    const found = values[name];
    return typeof found === 'string' ? found : undefined;
  };
  const json = values['json'] === true;
  const installation = findInstallation(value('data-dir'), env);
  return {
    arguments: given,
    value,
    flag: (name) => values[name] === true,
    json,
    api: () => openApi(value('url'), installation, env),
    installation,
    env,
    say: (line) => (json ? undefined : terminal.out(terminalText(`${line}\n`))),
    print: (result) => (json ? terminal.out(`${terminalJson(result)}\n`) : undefined),
    note: (line) => terminal.err(terminalText(`${line}\n`)),
  };
}
