import { Alert, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { approvalTexts } from '../../texts/approvals.js';
import { JsonView } from '../../ui/json-view.js';
import { sentenceOf, useCalledTool } from './called-tool.js';

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
