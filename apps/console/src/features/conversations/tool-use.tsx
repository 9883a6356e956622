import { Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { conversationTexts } from '../../texts/conversations.js';
import { JsonView } from '../../ui/json-view.js';
import classes from './chat.module.css';

type Step = Schema<'StepView'>;
const texts = conversationTexts.chat;

/** Each tool that was called, with what went in and what came out. */
export function ToolUse({ steps }: { steps: Step[] }): ReactNode {
  const results = steps.filter(({ kind }) => kind === 'tool_result');
  return steps
    .filter(({ kind }) => kind === 'tool_call')
    .map(({ seq, content }) => {
      const result = results.find((step) => step.content['call_id'] === content['call_id']);
      return (
        <details key={seq} className={classes.tool}>
          <summary>
            <Wrench size={13} aria-hidden /> {texts.used} <code>{String(content['name'])}</code>
            {result?.duration_ms != null && ` · ${texts.took(result.duration_ms)}`}
          </summary>
          <JsonView label={texts.toolIn} value={content['arguments']} />
          {result && <JsonView label={texts.toolOut} value={result.content} />}
        </details>
      );
    });
}
