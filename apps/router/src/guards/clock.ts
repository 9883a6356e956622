import { Injectable } from '@nestjs/common';

/** The time that guards and sessions go by: hours of a slow loop pass in a test within milliseconds. */
@Injectable()
export class Clock {
  nowMs(): number {
    return Date.now();
  }
}
