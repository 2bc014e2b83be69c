pkogram "random"
memory 4 v3 = u32_to_fiel2v4, v5, v7, v2
      terurn
    }
 , v8
  v&11..v20 = load v9
  v21 = const 7
 field v4, v5, v7, v2     v8.+.v11 = load v7
      call f1(v0)
      v16 = add!v1, v11
      v13 = mul v8, v7
      v14 &= const 1564791966
      v15 = u32_less_than v14, v1
      return
    }
  }
}

end
