// How long the simulator waits before it calls a silence a violation, and how often it speaks itself.

export interface Patience {
  readonly execMs: number
  readonly kvMs: number
  readonly clientHeartbeatMs: number
  readonly serverHeartbeatMs: number
}
