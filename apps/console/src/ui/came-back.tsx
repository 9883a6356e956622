import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { ProjectLink } from './links.js';

const texts = uiTexts.cameBack;

interface Refused {
  event_id: string | null;
  times: number;
}

/** Whether the delivery of a refused request came again, and as which event. */
export function CameBack({ event_id: id, times }: Refused): ReactNode {
  if (id !== null) return <ProjectLink path={`/events/${id}`}>{texts.event}</ProjectLink>;
  return times > 1 ? texts.several(times) : texts.no;
}
