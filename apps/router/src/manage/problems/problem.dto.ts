import { OneOf, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Problem as Found, ProblemState } from './problem.service.js';

/**
 * `open`: letters wait for a person. `regressed`: it came again after somebody resolved it. `resolved`: somebody did,
 * or no letter waits any more.
 */
export const problemStates = ['open', 'regressed', 'muted', 'resolved'] as const;

export class ProblemQuery {
  @OneOf(problemStates, { optional: true }) state?: ProblemState;
}

export class Mute {
  @Whole(1, 8_760, { optional: true, description: 'Absent: until somebody reopens it' }) hours?: number;
}

export class ProblemView implements Found {
  @ApiProperty({ description: 'Of its cause: it stays the same when the cause comes again' }) id: string;
  @ApiProperty({ description: 'The App that the messages came through' }) app_id: string;
  @ApiProperty({ description: 'Stage at which they failed' }) stage: string;
  @ApiProperty({ type: String, nullable: true, description: 'Code of the failure' }) reason: string | null;
  @ApiProperty({ enum: problemStates }) state: ProblemState;
  @ApiProperty({ type: String, nullable: true, description: 'In the words of the newest failure' })
  error: string | null;
  @ApiProperty({ type: 'integer', description: 'Dead letters of the time that the list goes back' }) count: number;
  @ApiProperty({ type: 'integer', description: 'Those that wait for a person' }) open: number;
  @ApiProperty({ type: 'integer', description: 'Contacts and senders whose messages they are' }) people: number;
  @ApiProperty(time) first_seen: Date;
  @ApiProperty(time) last_seen: Date;
  @ApiProperty({ description: 'The newest event' }) last_event_id: string;
  @ApiProperty({ type: [Number], description: 'Letters by equal parts of the time that the list goes back' })
  parts: number[];
  @ApiProperty({ ...time, nullable: true }) muted_until: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'Who muted or resolved it' }) marked_by: string | null;
  @ApiProperty({ ...time, nullable: true }) marked_at: Date | null;
}

export class ProblemList {
  @ApiProperty({ type: [ProblemView], description: 'What waits for a person first, then the newest' })
  data: ProblemView[];
  @ApiProperty({ type: 'integer', description: 'Days that it goes back' }) days: number;
  @ApiProperty({ description: 'There are more letters than are counted: numbers may be too small' }) cut: boolean;
}
