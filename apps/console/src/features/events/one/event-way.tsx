import { Anchor, Stack } from '@mantine/core';
import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { Disclosure } from '../../../ui/disclosure.js';
import { JsonView } from '../../../ui/json-view.js';
import { toneOf } from '../../../ui/status-badge.js';
import { duration } from '../../../ui/duration.js';
import { Section } from '../../../ui/section.js';
import { answerOf } from './answer-of.js';
import { DeliveryPart } from './parts/delivery-part.js';
import { ParsedPart } from './parts/parsed-part.js';
import { RequestPart } from './parts/request-part.js';
import { RoutedPart } from './parts/routed-part.js';
import { TurnPart } from './parts/turn-part.js';
import { stationLook } from './station-look.js';
import { type Bar, StationItem } from './station-item.js';
import { type EventDetail, spanOfWay, type Station, stationsOf } from './stations.js';
import { useOpenStations } from './use-open-stations.js';
import classes from './way.module.css';

/** The timeline of an event: each station, where the time went, and why it continued as it did. */
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

/** The details of an open station; null: its line says everything. */
function stationBody(station: Station, event: EventDetail): ReactNode {
  const checkedAtOnce = station.stage === 'verified' && station.last.stage === 'received';
  if (checkedAtOnce) return null;
  return (
    <Stack gap="sm">
      {partOf(station, event)}
      <Disclosure label={eventPageTexts.facts}>
        <JsonView label={eventPageTexts.facts} value={station.entries} depth={2} />
      </Disclosure>
    </Stack>
  );
}

function partOf(station: Station, event: EventDetail): ReactNode {
  switch (station.stage) {
    case 'received':
      return <RequestPart event={event} />;
    case 'verified':
      return null;
    case 'parsed':
      return <ParsedPart event={event} />;
    case 'routed':
      return <RoutedPart event={event} entry={station.last} />;
    case 'turn':
      return <TurnPart event={event} turnId={station.subject} />;
    case 'delivery':
      return <DeliveryPart event={event} station={station} />;
  }
}
