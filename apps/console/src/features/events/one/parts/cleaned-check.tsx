import type { ReactNode } from 'react';
import type { Schema } from '../../../../api/named-schema.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { CodeBlock } from '../../../../ui/code-block.js';
import { Disclosure } from '../../../../ui/disclosure.js';
import { Check } from './check-list.js';

const texts = eventPageTexts.checks;

/** What the sanitiser took out of each part of a message. What it left is what an agent reads. */
export function CleanedCheck({ message: { sanitizer_report: report, message } }: Props): ReactNode {
  const { counts, cut } = summed(report);
  if (counts === '' && cut === 0) {
    return (
      <Check name={texts.cleaned} state="pass">
        {texts.cleanText}
      </Check>
    );
  }
  return (
    <Check name={texts.cleaned} state="note">
      {counts && texts.cleanedCounts(counts)} {cut > 0 && texts.cut(cut)}
      <Disclosure label={texts.read}>
        <CodeBlock label={texts.read} code={message.message} wrap />
      </Disclosure>
    </Check>
  );
}

interface Props {
  message: Schema<'MessageView'>;
}

interface FieldReport {
  cut?: number;
  counts?: Record<string, number>;
}

function summed(report: Record<string, unknown> | null): { counts: string; cut: number } {
  const fields = Object.entries((report ?? {}) as Record<string, FieldReport>);
  const counts = fields.flatMap(([field, { counts: own = {} }]) =>
    Object.entries(own).map(([rule, count]) => `${count} ${rule.replaceAll('_', ' ')} (${field})`),
  );
  return { counts: counts.join(', '), cut: fields.reduce((sum, [, { cut = 0 }]) => sum + cut, 0) };
}
