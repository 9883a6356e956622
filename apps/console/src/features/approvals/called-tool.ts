import { useTools } from '../../api/tools.js';
import type { Schema } from '../../api/named-schema.js';
import { approvalTexts } from '../../texts/approvals.js';

export interface CalledTool {
  tool: Schema<'ToolView'> | null;
  /** The tool has changed since the call was requested: the call will not be made. */
  changed: boolean;
}

/** The tool of a call. A call names it as the model does: `<skill>__<tool>`, or a built-in tool by its own name. */
export function useCalledTool({ tool: called, tool_pin: pin }: Schema<'ApprovalView'>): CalledTool {
  const { data: tools } = useTools();
  if (!tools) return { tool: null, changed: false };
  if (pin === null) return { tool: tools.find(({ id }) => id === `builtin:${called}`) ?? null, changed: false };
  const same = tools.find((tool) => tool.pin === pin);
  if (same) return { tool: same, changed: false };
  const name = called.slice(called.indexOf('__') + 2);
  return { tool: tools.find((tool) => tool.source !== 'builtin' && tool.name === name) ?? null, changed: true };
}

/** The call in a sentence, where its arguments show what it would do. */
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
