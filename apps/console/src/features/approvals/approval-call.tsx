import { Alert, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { approvalTexts } from '../../texts/approvals.js';
import { JsonView } from '../../ui/json-view.js';
import { useTools } from '../../api/choices.js';

/** What the call would do, in words and in full. */
export function ApprovalCall({ approval }: { approval: Schema<'ApprovalView'> }): ReactNode {
  const { tool, changed } = useCalledTool(approval);
  const sentence = sentenceOf(approval, tool);
  return (
    <Stack gap="xs">
      <div style={{ overflowWrap: 'anywhere' }}>
        {sentence && <Text fw={500}>{sentence}</Text>}
        <Text size="sm" c="dimmed">
          {approvalTexts.grades[approval.grade]} {approvalTexts.reasons[approval.reason]}
        </Text>
      </div>
      {changed && approval.state === 'pending' && (
        <Alert variant="light" color="yellow" icon={<TriangleAlert size={16} aria-hidden />}>
          {approvalTexts.toolChanged}
        </Alert>
      )}
      {Object.keys(approval.arguments).length > 0 ? (
        <JsonView label={approvalTexts.arguments} value={approval.arguments} depth={3} />
      ) : (
        <Text size="sm" c="dimmed">
          {approvalTexts.noArguments}
        </Text>
      )}
    </Stack>
  );
}

interface CalledTool {
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
function sentenceOf(call: Schema<'ApprovalView'>, tool: Schema<'ToolView'> | null): string | null {
  const { method, url, to } = call.arguments;
  if (call.tool_pin === null && call.tool === 'http_request' && typeof url === 'string')
    return approvalTexts.request(typeof method === 'string' ? method : 'GET', url);
  const addresses = [to].flat().filter((address) => typeof address === 'string');
  if (call.tool_pin === null && call.tool === 'send_email' && addresses.length > 0)
    return approvalTexts.mail(addresses.join(', '));
  return tool ? (tool.title ?? firstSentence(tool.description)) : null;
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
