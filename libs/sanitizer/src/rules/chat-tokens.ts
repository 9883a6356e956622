import { replacing } from './rule.js';

const removed = '[removed-token]';

/**
 * What chat templates mark turns with (ChatML, Llama, Mistral, Gemma, DeepSeek): a template that is filled in carelessly
 * would read it as the end of the user's turn.
 */
export const chatTokens = replacing(
  'chat_tokens',
  /<[|｜][^|｜<>\n]{1,64}[|｜]>|<<\/?SYS>>|<\/?(?:start_of_turn|end_of_turn|bos|eos)>|\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/gi,
  () => removed,
);
