// Deadlines after which silence is a violation, and the interval of the simulator's heartbeats.

export interface Patience {
  readonly execMs: number
  readonly kvMs: number
  readonly clientHeartbeatMs: number
  readonly serverHeartbeatMs: number
}
