import { Anchor } from '@mantine/core';
import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { toneOf } from '../../../ui/status-badge.js';
import { duration } from '../../../ui/duration.js';
import { Section } from '../../../ui/section.js';
import { answerOf } from './answer-of.js';
import { stationLook } from './station-look.js';
import { stationBody } from './station-body.js';
import { type Bar, StationItem } from './station-item.js';
import { type EventDetail, type Station, spanOfWay, stationsOf } from './stations.js';
import { useOpenStations } from './use-open-stations.js';
import classes from './way.module.css';

/** The picture of an event: each stop on its way, where the time went, and why it went on as it did. */
export function EventWay({ event }: { event: EventDetail }): ReactNode {
  const stations = stationsOf(event.timeline);
  const { isOpen, toggle, setAll, all } = useOpenStations(stations);
  const { startMs, endMs } = spanOfWay(stations);
  const { status, tone, why } = answerOf(event);
  const pending = tone === 'busy';
  const spanMs = Math.max(1, endMs - startMs);
  return (
    <Section
      title={eventPageTexts.way}
      actions={
        <Anchor component="button" type="button" size="sm" onClick={() => setAll(!all)}>
          {all ? eventPageTexts.collapseAll : eventPageTexts.expandAll}
        </Anchor>
      }
    >
      <p className={classes.sentence} style={{ margin: '0 0 8px' }}>
        {eventPageTexts.wayHint} {duration(endMs - startMs)}
      </p>
      <ol className={classes.way}>
        {stations.map((station) => {
          const look = stationLook(station, event);
          return (
            <StationItem
              key={station.key}
              id={station.key}
              {...look}
              bar={barOf(station, startMs, spanMs)}
              tookMs={station.endMs > station.startMs ? station.endMs - station.startMs : null}
              waitedMs={station.waitedMs}
              open={isOpen(station)}
              onToggle={() => toggle(station)}
            >
              {stationBody(station, event)}
            </StationItem>
          );
        })}
        {pending && (
          <StationItem
            id="pending"
            icon={LoaderCircle}
            title={eventPageTexts.open}
            status={status}
            tone={toneOf(status)}
            sentence={why}
            bar={null}
            tookMs={null}
            waitedMs={null}
            open={false}
            onToggle={() => undefined}
            pending
          />
        )}
      </ol>
    </Section>
  );
}

function barOf({ startMs, endMs, waitedMs }: Station, beginMs: number, spanMs: number): Bar {
  const share = (ms: number): number => Math.min(1, Math.max(0, (ms - beginMs) / spanMs));
  return {
    from: share(startMs),
    to: share(endMs),
    waitedFrom: waitedMs ? share(startMs - waitedMs) : null,
  };
}
