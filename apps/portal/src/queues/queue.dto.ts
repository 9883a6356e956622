import { ApiProperty } from '@nestjs/swagger';

/** The current state of one queue. */
export class QueueView {
  @ApiProperty() queue: string;
  @ApiProperty({ description: 'The service that processes its jobs' }) service: string;
  @ApiProperty({ type: 'integer', description: 'Jobs that are due; one carries up to 32 messages' })
  waiting: number;
  @ApiProperty({ type: 'integer', description: 'Jobs that are being processed' }) active: number;
  @ApiProperty({ type: 'integer', description: 'Jobs that wait for their time, such as retries' }) delayed: number;
  @ApiProperty({ type: 'integer', description: 'Since when the oldest waits' }) oldest_ms: number;
}

export class QueueListView {
  @ApiProperty({ type: [QueueView] }) data: QueueView[];
  @ApiProperty({ type: [String], description: 'Services and queues that could not be read' }) silent: string[];
}
