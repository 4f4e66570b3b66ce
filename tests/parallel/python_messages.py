"""A ring of messages through mpi4py: objects, buffers, persistent requests: six from each rank."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
after, before = (rank + 1) % ranks, (rank - 1) % ranks

sending = comm.isend({"from": rank}, after, tag=1)
assert comm.recv(source=MPI.ANY_SOURCE, tag=1) == {"from": before}
sending.wait()

room = bytearray(100)
status = MPI.Status()
requests = [comm.Irecv(room, MPI.ANY_SOURCE, 2), comm.Isend(bytes(50), after, 2)]
MPI.Request.Waitall(requests)
requests = [comm.Irecv(room, before, 3), comm.Isend(bytes(60), after, 3)]
for request in requests:
    request.Wait(status)
comm.Sendrecv(bytes(70), after, 4, room, before, 4)

ring = comm.Split(0, -rank)
persistent = [ring.Recv_init(room, MPI.ANY_SOURCE, 5), ring.Send_init(bytes(80), (ring.rank + 1) % ranks, 5)]
for _ in range(2):
    MPI.Prequest.Startall(persistent)
    MPI.Prequest.Waitall(persistent)
for request in persistent:
    request.Free()
ring.Free()
