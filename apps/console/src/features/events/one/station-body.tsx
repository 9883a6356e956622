import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { Disclosure } from '../../../ui/disclosure.js';
import { JsonView } from '../../../ui/json-view.js';
import { DeliveryPart } from './parts/delivery-part.js';
import { ParsedPart } from './parts/parsed-part.js';
import { RequestPart } from './parts/request-part.js';
import { RoutedPart } from './parts/routed-part.js';
import { TurnPart } from './parts/turn-part.js';
import type { EventDetail, Station } from './stations.js';

/** What a station has to show when it is opened; null: its line says it all. */
export function stationBody(station: Station, event: EventDetail): ReactNode {
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
