import { Injectable } from '@nestjs/common';

/** The clock of guards and sessions: in a test, hours of a slow loop pass within milliseconds. */
@Injectable()
export class Clock {
  nowMs(): number {
    return Date.now();
  }
}
