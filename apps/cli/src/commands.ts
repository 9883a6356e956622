import type { Command } from './call/command.js';
import { adapterCheck } from './commands/adapter-check.js';
import { agentCommands } from './commands/agents.js';
import { apiKeyCommands } from './commands/api-keys.js';
import { deadLetterCommands } from './commands/dead-letters.js';
import { doctor } from './commands/doctor.js';
import { evaluate } from './commands/eval.js';
import { eventCommands } from './commands/events.js';
import { missedCommands } from './commands/missed.js';
import { moveCommands } from './commands/move.js';
import { operations } from './commands/operations.js';
import { replay } from './commands/replay.js';
import { status } from './commands/status.js';
import { supportBundle } from './commands/support-bundle.js';
import { vaultCommands } from './commands/vault.js';

/** In the order of the help. */
export const commands: Command[] = [
  status,
  ...eventCommands,
  replay,
  ...deadLetterCommands,
  ...missedCommands,
  ...agentCommands,
  evaluate,
  adapterCheck,
  ...apiKeyCommands,
  ...vaultCommands,
  ...moveCommands,
  doctor,
  operations,
  supportBundle,
];
