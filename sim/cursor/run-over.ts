/** Rejects everything that waits when a run is over, however it ended. */
export class RunOver extends Error {
  override readonly name = 'RunOver'
}
