import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { StatusBadge } from '../../ui/status-badge.js';

type Trust = Schema<'DocumentView'>['trust'];

const tones = { owner: 'good', known: 'quiet', untrusted: 'warn' } as const;

/** Who wrote a document. Beside the lists it would bring their tables to every page that shows a badge. */
export function TrustBadge({ trust }: { trust: Trust }): ReactNode {
  return <StatusBadge status={trust} tone={tones[trust]} label={knowledgeTexts.trusts[trust]} />;
}
