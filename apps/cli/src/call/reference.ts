import type { Command } from './command.js';
import { usageOf } from './help.js';
import { everywhere } from './parse.js';

/** The reference in docs/cli.md, generated from the commands. */
export function reference(commands: Command[]): string {
  return [
    `Every command takes ${sentence(everywhere)}.`,
    ...commands.flatMap((command) => ['', `### ${'`'}gatehouse ${usageOf(command)}${'`'}`, '', ...about(command)]),
    '',
  ].join('\n');
}

function about({ summary, notes = [], scopes, options = {}, examples }: Command): string[] {
  const listed = Object.entries(options).map(
    ([name, { value, help }]) => `- ${'`'}--${name}${value ? ` ${value}` : ''}${'`'}: ${help}`,
  );
  return [
    [`${summary}.`, ...notes, ...(scopes ? [`Scopes: ${scopes}.`] : [])].join(' '),
    '',
    ...(listed.length > 0 ? [...listed, ''] : []),
    '```sh',
    ...examples,
    '```',
  ];
}

const sentence = (options: NonNullable<Command['options']>): string =>
  Object.entries(options)
    .map(
      ([name, { value, help }]) =>
        `${'`'}--${name}${value ? ` ${value}` : ''}${'`'} (${help.charAt(0).toLowerCase()}${help.slice(1)})`,
    )
    .join(', ');
