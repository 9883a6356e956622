import { CliError, exits, usageError } from '../api/cli-error.js';
import type { Call, Command } from '../call/command.js';

const withinMs = 10_000;

/** Containers have no curl, and their operations ports are not published. */
export const operations: Command = {
  name: 'operations',
  arguments: '[service]',
  summary: 'Shows what the operations port of a service answers: its state in detail, or its metrics',
  options: { metrics: { help: 'Its metrics, as Prometheus reads them' } },
  notes: [
    'In a container it asks the service that runs there (`OPERATIONS_PORT`); with `npm start` name the service.',
    'Exit code 1: the service is not ready.',
  ],
  examples: [
    'gatehouse operations router',
    'docker compose exec router node dist/apps/cli/src/gatehouse.js operations --metrics',
  ],
  run: async (call) => {
    const path = call.flag('metrics') ? '/metrics' : '/health/ready';
    const url = `http://127.0.0.1:${portOf(call)}${path}`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(withinMs) }).catch((error: unknown) => {
      const { cause, message } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      const toDo = 'Check that the service runs, and that OPERATIONS_PORT is its own.';
      throw new CliError(exits.unavailable, `Nothing answers: ${why}`, url, toDo, 'no_answer');
    });
    const text = await answer.text();
    call.print(call.flag('metrics') ? { metrics: text } : JSON.parse(text));
    call.say(call.flag('metrics') ? text.trimEnd() : JSON.stringify(JSON.parse(text), null, 2));
    return answer.ok ? exits.done : exits.unwell;
  },
};

/** @throws CliError `usage` */
function portOf({ arguments: [name], env, installation }: Call): number | string {
  const services = installation?.services ?? [];
  const found = services.find((service) => service.name === name);
  if (found) return found.operations_port;
  if (services.length > 0) {
    const known = services.map((service) => service.name).join(', ');
    throw usageError(`${name ? `There is no service ${name}` : 'Name a service'}: ${known}.`, 'gatehouse operations');
  }
  return env['OPERATIONS_PORT'] || '9090';
}
