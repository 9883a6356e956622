import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { StatusBadge } from '../../ui/status-badge.js';

type Trust = Schema<'DocumentView'>['trust'];

const tones = { owner: 'good', known: 'quiet', untrusted: 'warn' } as const;

/** Who wrote a document. */
export function TrustBadge({ trust }: { trust: Trust }): ReactNode {
  return <StatusBadge status={trust} tone={tones[trust]} label={knowledgeTexts.trusts[trust]} />;
}
