import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { requestContext } from '../api/client.js';
import type { CursorList } from '../api/project-query.js';
import { uiTexts } from '../texts/ui.js';
import type { ExportFormat } from './export-file.js';

interface ExportListProps<Row> {
  /** What the file is called. */
  label: string;
  list: Pick<CursorList<Row>, 'rows'> & Partial<CursorList<Row>>;
}

/** Saves all of a list as a file, also what is not loaded yet. */
export function ExportList<Row extends object>({ label, list: { rows, ask } }: ExportListProps<Row>): ReactNode {
  const [counted, setCounted] = useState<number | null>(null);
  const save = async (format: ExportFormat): Promise<void> => {
    setCounted(0);
    try {
      const { rowsOf, saveRows } = await import('./export-file.js');
      const { projectId } = requestContext;
      const found = ask
        ? await rowsOf((cursor) => {
            // Whoever goes to another project would get its rows into this file.
            if (requestContext.projectId !== projectId) throw new Error(uiTexts.export.left);
            return ask(cursor);
          }, setCounted)
        : { rows, cut: false };
      saveRows(label, format, found.rows);
      if (found.cut) notifications.show({ message: uiTexts.export.cut(found.rows.length), color: 'yellow' });
    } catch (error) {
      const message = error instanceof Error ? error.message : uiTexts.export.failed;
      notifications.show({ message, color: 'red' });
    } finally {
      setCounted(null);
    }
  };
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" c="dimmed" component="span" role="status">
        {counted !== null && uiTexts.export.counted(counted)}
      </Text>
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Download size={13} aria-hidden />}
          aria-label={uiTexts.export.as[format]}
          disabled={counted !== null}
          onClick={() => void save(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    </Group>
  );
}
