import { useTools } from '../../api/tools.js';
import type { Schema } from '../../api/named-schema.js';
import { approvalTexts } from '../../texts/approvals.js';

export interface CalledTool {
  tool: Schema<'ToolView'> | null;
  /** It is no more what the call was made for: the call will not be made. */
  changed: boolean;
}

/** The tool of a call, which names it as the model does: `<skill>__<tool>`, and a built-in one by its own name. */
export function useCalledTool({ tool: called, tool_pin: pin }: Schema<'ApprovalView'>): CalledTool {
  const { data: tools } = useTools();
  if (!tools) return { tool: null, changed: false };
  if (pin === null) return { tool: tools.find(({ id }) => id === `builtin:${called}`) ?? null, changed: false };
  const same = tools.find((tool) => tool.pin === pin);
  if (same) return { tool: same, changed: false };
  const name = called.slice(called.indexOf('__') + 2);
  return { tool: tools.find((tool) => tool.source !== 'builtin' && tool.name === name) ?? null, changed: true };
}

/** The call in a sentence, where what it would do can be read off its arguments. */
export function sentenceOf(call: Schema<'ApprovalView'>, tool: Schema<'ToolView'> | null): string | null {
  const { method, url, to } = call.arguments;
  if (call.tool_pin === null && call.tool === 'http_request' && typeof url === 'string')
    return approvalTexts.request(typeof method === 'string' ? method : 'GET', url);
  const addresses = [to].flat().filter((address) => typeof address === 'string');
  if (call.tool_pin === null && call.tool === 'send_email' && addresses.length > 0)
    return approvalTexts.mail(addresses.join(', '));
  return tool ? (tool.title ?? firstSentence(tool.description)) : null;
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
