import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { operationsTexts } from '../../texts/operations.js';
import { AgentName, AppName, PrincipalName } from '../../ui/name-of.js';

type Entry = Schema<'AuditLogEntryView'>;

/** What was changed, by name: as the entry recorded it, else as it is called now. */
export function AuditSubject({ entry }: { entry: Entry }): ReactNode {
  const { subject } = entry;
  const recorded = recordedName(entry);
  if (recorded !== null) return <>{recorded}</>;
  if (subject.startsWith('app_')) return <AppName id={subject} />;
  if (subject.startsWith('agt_')) return <AgentName id={subject} />;
  if (entry.action.startsWith('workflow.')) return <>{operationsTexts.audit.workflow(subject)}</>;
  if (entry.action.startsWith('member.')) return <PrincipalName subject={`user:${subject}`} />;
  if (subject.startsWith('key_')) return <PrincipalName subject={`key:${subject}`} />;
  return <code>{subject}</code>;
}

/** The name that an entry recorded of what it is about; of a call, the tool. Null: none. */
export function recordedName({ before, after }: Entry): string | null {
  const values = [after?.name, before?.name, after?.tool, before?.tool, after?.email, before?.email];
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
}
