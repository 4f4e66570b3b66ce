// Preloaded: requests cannot be freed. An MPI may say so of any handle.
int MPI_Request_free(void* request);
int PMPI_Request_free(void* request);

int MPI_Request_free(void* request) {
  (void)request;
  return 19;
}

int PMPI_Request_free(void* request) {
  (void)request;
  return 19;
}
