/** Counts how often something ended by itself; more than `most` times within `within` milliseconds is too often. */
export class Crashes {
  private times: number[] = [];

  constructor(
    private readonly most: number,
    private readonly within: number,
  ) {}

  /** Whether the crash at `now` (in milliseconds) is one too many. */
  tooOften(now: number): boolean {
    this.times = [...this.times, now].filter((time) => now - time < this.within);
    return this.times.length > this.most;
  }

  forget(): void {
    this.times = [];
  }
}
