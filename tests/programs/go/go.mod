module startblock

go 1.19
